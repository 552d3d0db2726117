import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { recordEvents } from '../events/index.ts'
import { NO_LINES, RESERVING, settled, withReservationEvents } from '../reservation-core/index.ts'
import type { HeldProduct } from './hold-products.ts'

/** A hold whose row is locked. */
export interface LockedHold {
  tenantId: number
  id: number
  warehouseId: number
}

/** Locks the totals of the hold's products, of before and after, drops expired lines, and settles. */
const settleProducts = statement<
  [tenantId: number, holdId: number, warehouseId: number, productIds: number[]],
  { product_id: number }
>({
  name: 'settle_products_of_hold',
  connection: 'write',
  sql: `with ${RESERVING}, no_event as (
     select 0::bigint as position, '' as topic, '' as data where false
   ), ${settled({
     stock: `select product_id, $3::bigint as warehouse_id from unnest($4::bigint[]) p (product_id)
       union select product_id, warehouse_id from hold_lines where tenant_id = $1 and hold_id = $2`,
     lines: NO_LINES,
   })}, ${recordEvents(withReservationEvents('no_event'))}
   select distinct product_id from hold_lines where tenant_id = $1 and hold_id = $2`,
})

const emptyHold = statement<[tenantId: number, holdId: number], { product_id: number; reserved: number }>({
  name: 'empty_hold',
  connection: 'write',
  sql: `with removed as (
     delete from hold_lines where tenant_id = $1 and hold_id = $2 returning product_id, warehouse_id, reserved
   ), by_product as materialized (
     select product_id, warehouse_id, sum(reserved) as reserved from removed group by product_id, warehouse_id
   ), changed_total as (
     update warehouse_stock w set reserved = w.reserved - b.reserved, held = w.held - b.reserved
     from by_product b
     where w.tenant_id = $1 and w.product_id = any (array(select product_id from by_product))
       and w.product_id = b.product_id and w.warehouse_id = b.warehouse_id
   )
   select product_id, reserved from by_product`,
})

interface Filled {
  /** Of the line, from 0. */
  index: number
  available: number
}

/** Inserts the lines and returns none, or inserts none and returns every line of a product that is short. */
const insertLines = statement<
  [
    tenantId: number,
    holdId: number,
    warehouseId: number,
    productIds: number[],
    quantities: number[],
    ownProductIds: number[],
    ownQuantities: number[],
  ],
  Filled
>({
  name: 'fill_hold',
  connection: 'write',
  sql: `with line as materialized (
     select product_id, quantity, position from unnest($4::bigint[], $5::numeric[]) with ordinality l (product_id, quantity, position)
   ), product as materialized (
     select p.product_id, p.quantity, w.place,
       greatest(w.quantity - w.unsellable - w.reserved - coalesce(o.quantity, 0) - w.backordered, 0) + coalesce(o.quantity, 0) as available
     from (select product_id, sum(quantity) as quantity from line group by product_id) p
     cross join lateral (
       select ctid as place, quantity, unsellable, reserved, backordered from warehouse_stock
       where tenant_id = $1 and product_id = p.product_id and warehouse_id = $3 limit 1
     ) w
     left join unnest($6::bigint[], $7::numeric[]) o (product_id, quantity) on o.product_id = p.product_id
   ), short as materialized (
     select product_id, available from product where quantity > available
   ), inserted as (
     insert into hold_lines (tenant_id, hold_id, line_number, product_id, warehouse_id, quantity, reserved, expires_at)
     select $1, h.id, l.position, l.product_id, h.warehouse_id, l.quantity, l.quantity, h.expires_at
     from line l cross join (select id, warehouse_id, expires_at from holds where tenant_id = $1 and id = $2 limit 1) h
     where not exists (select from short)
     returning product_id, quantity
   ), changed_total as (
     update warehouse_stock w set reserved = w.reserved + i.quantity, held = w.held + i.quantity
     from product p join (select product_id, sum(quantity) as quantity from inserted group by product_id) i using (product_id)
     where w.ctid = any (array(select place from product)) and w.ctid = p.place
   )
   select l.position::int - 1 as index, s.available from line l join short s using (product_id) order by l.position`,
})

/**
 * Reserves for the lines of a hold, in a transaction that has locked it; instead of those that it has, which count as available. The totals
 * are locked by the first statement, so the others see what came before. Throws `insufficient_stock`.
 */
export async function fillHold(
  tx: Queryable,
  { tenantId, id, warehouseId }: LockedHold,
  products: readonly HeldProduct[],
): Promise<void> {
  const productIds = products.map(({ productId }) => productId)
  await settleProductsOf(tx, { tenantId, id, warehouseId }, productIds)
  const own = await tx.run(emptyHold, [tenantId, id])
  const short = await tx.run(insertLines, [
    tenantId,
    id,
    warehouseId,
    productIds,
    products.map(({ quantity }) => quantity),
    own.map(({ product_id: product }) => product),
    own.map(({ reserved }) => reserved),
  ])
  if (short.length > 0) throw insufficient(short)
}

/**
 * Locks the totals of these products and of those of a locked hold, drops expired lines and settles, in a transaction. Returns the hold's
 * products, to settle them again when it has less of them.
 */
export async function settleProductsOf(
  tx: Queryable,
  { tenantId, id, warehouseId }: LockedHold,
  productIds: readonly number[],
): Promise<number[]> {
  const rows = await tx.run(settleProducts, [tenantId, id, warehouseId, [...productIds]])
  return rows.map(({ product_id: product }) => product)
}

function insufficient(short: readonly Filled[]): ServiceError {
  const details = short.map(({ index, available }) => ({ index, error: `only ${available} available`, available }))
  const [first] = details
  return new ServiceError('insufficient_stock', `lines[${first?.index}]: ${first?.error}`, { details })
}
