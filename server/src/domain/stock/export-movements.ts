import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { exportedList, rowsToScan, type ScannedRow, scanList, scanned } from '../../procedures/exported-list.ts'
import { listMovementsInput, stockMovement } from './schemas.ts'

type Query = z.infer<typeof listMovementsInput>
type Movement = z.infer<typeof stockMovement>
type Row = ScannedRow & { [Field in keyof Movement]-?: NonNullable<Movement[Field]> | null }
type Values = [
  tenantId: number,
  positionAt: string,
  positionId: number,
  startDate: string | undefined,
  endDate: string | undefined,
  limit: number,
  productId: number | undefined,
  locationId: string | undefined,
  movementType: string | undefined,
  orderId: number | undefined,
]

const COLUMNS = Object.keys(stockMovement.shape) as (keyof Movement)[]

/** Reads by the index that a filter has, if any; the other filters are looked at in the rows. */
const exportBy = (name: string, condition: string) =>
  statement<Values, Row>({
    name,
    connection: 'slow',
    sql: `with ${scanned({
      source: `select id, created_at from (
       select id, created_at from stock_movements
       where tenant_id = $1 and ${condition} and (created_at, id) < ($2::timestamptz, $3::bigint)
         and created_at >= coalesce($4::date::timestamp at time zone 'UTC', '-infinity')
         and created_at < coalesce(($5::date + 1)::timestamp at time zone 'UTC', 'infinity')
       order by created_at desc, id desc limit 10000
     ) m limit $6::bigint`,
      record: `select m.id, m.product_id, p.name as product_name, m.location_id, m.movement_type, m.quantity, m.previous_quantity, m.new_quantity,
       m.reason, m.user_id, m.order_id, m.created_at
     from stock_movements m join products p on p.tenant_id = $1 and p.id = m.product_id
     where m.tenant_id = $1 and m.id = n.id
       and ($7::bigint is null or m.product_id = $7) and ($8::text is null or m.location_id = $8)
       and ($9::text is null or m.movement_type = $9) and ($10::bigint is null or m.order_id = $10)
     limit 1`,
      columns: `r.id::text as id, ${COLUMNS.filter((column) => column !== 'id')
        .map((column) => `r.${column}`)
        .join(', ')}`,
    })}`,
  })

const EXPORTS = {
  all: exportBy('export_movements', 'true'),
  ofOrder: exportBy('export_movements_of_order', 'order_id = $10::bigint'),
  ofProduct: exportBy('export_movements_of_product', 'product_id = $7::bigint'),
  atLocation: exportBy('export_movements_at_location', 'location_id = $8::text'),
}

/** Stock movements, newest first. */
export const exportedMovements = exportedList({
  name: 'movements',
  scope: 'read:stock',
  query: listMovementsInput,
  columns: COLUMNS,
  async *read(db, tenantId, query) {
    const { start_date, end_date, product_id, location_id, movement_type, order_id } = query
    const filters = [product_id, location_id, movement_type, order_id] as const
    const limit = rowsToScan(filters)
    const batches = scanList(limit, ({ at, id }) =>
      db.run(EXPORTS[indexFor(query)], [tenantId, at, id, start_date, end_date, limit, ...filters]),
    )
    for await (const rows of batches) yield rows.filter((row) => row.id !== null)
  },
})

function indexFor({ order_id, product_id, location_id }: Query): keyof typeof EXPORTS {
  if (order_id !== undefined) return 'ofOrder'
  if (product_id !== undefined) return 'ofProduct'
  return location_id === undefined ? 'all' : 'atLocation'
}
