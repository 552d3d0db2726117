import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { invalidField, invalidFields } from '../../errors/invalid-field.ts'
import { openQuantity } from '../order-states/index.ts'
import { MAX_LINES, type NewFlowBatch } from './schemas.ts'

/** An order as a call names it. All but `open_lines` are null when there is none. */
interface NamedOrder {
  id: number | null
  warehouse_id: number | null
  open_lines: number
}

const findNamed = statement<[tenantId: number, ids: (number | null)[], orderTenantIds: (string | null)[]], NamedOrder>({
  name: 'find_orders_of_batch',
  connection: 'slow',
  sql: `select o.id, o.warehouse_id, (
     select count(*) from order_lines l where l.tenant_id = $1 and l.order_id = o.id and ${openQuantity('l')} > 0
   ) as open_lines
   from unnest($2::bigint[], $3::text[]) with ordinality w (order_id, order_tenant_id, position)
   left join lateral (
     (select id, warehouse_id from orders where tenant_id = $1 and id = w.order_id)
     union all
     (select id, warehouse_id from orders where tenant_id = $1 and order_tenant_id = w.order_tenant_id)
     limit 1
   ) o on true
   order by w.position`,
})

/** The orders that an input names, in the order given. */
export function findOrders(db: Queryable, tenantId: number, { order_ids: ids, order_tenant_ids: names }: NewFlowBatch) {
  const list = ids ?? names ?? []
  return db.run(findNamed, [
    tenantId,
    list.map((_, index) => ids?.[index] ?? null),
    list.map((_, index) => (ids == null ? (names?.[index] ?? null) : null)),
  ])
}

/**
 * The ids of the orders, and their warehouse. Throws `validation_error` for unknown orders, for orders of several warehouses and for too many
 * open lines.
 */
export function requireOrders(input: NewFlowBatch, found: readonly NamedOrder[]): { orderIds: number[]; warehouseId: number } {
  const field = nameOfList(input)
  const warehouseId = found.find((order) => order.warehouse_id !== null)?.warehouse_id as number
  const details = found.flatMap(({ id, warehouse_id: warehouse }, index) => {
    const path = `${field}[${index}]`
    if (id === null) return [{ path, error: 'names no order' }]
    return warehouse === warehouseId ? [] : [{ path, error: 'is an order of a different warehouse than the first' }]
  })
  if (details.length > 0) throw invalidFields(details)
  requireFewLines(
    input,
    found.reduce((sum, order) => sum + order.open_lines, 0),
  )
  return { orderIds: found.map(({ id }) => id as number), warehouseId }
}

/** Throws `validation_error` when orders have more open lines than a batch may have. */
export function requireFewLines(input: NewFlowBatch, lines: number): void {
  if (lines <= MAX_LINES) return
  throw invalidField(nameOfList(input), `must have at most ${MAX_LINES} open lines together, not ${lines}`)
}

/** The field of an input that names the orders. */
export const nameOfList = ({ order_ids: ids }: NewFlowBatch): string => (ids == null ? 'order_tenant_ids' : 'order_ids')
