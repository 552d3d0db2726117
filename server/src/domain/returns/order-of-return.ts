import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../procedures/errors.ts'
import { takenOf } from '../order-states/index.ts'
import { returnedOf } from './returned-goods.ts'

/** An order that goods come back from. */
export interface ReturnedOrder {
  id: number
  order_tenant_id: string
  warehouse_id: number
}

const findOrder = statement<
  [tenantId: number, orderId: number | null, orderTenantId: string | null],
  ReturnedOrder & { is_same: boolean | null }
>({
  name: 'find_order_of_return',
  lane: 'read',
  sql: `select id, order_tenant_id, warehouse_id, order_tenant_id = $3 as is_same from orders
   where tenant_id = $1 and id = coalesce($2::bigint, (select id from orders where tenant_id = $1 and order_tenant_id = $3::text))`,
})

const lockOrder = statement<[tenantId: number, orderId: number], { id: number }>({
  name: 'lock_order_of_return',
  lane: 'write',
  sql: 'select id from orders where tenant_id = $1 and id = $2 for no key update',
})

const findTooMuch = statement<
  [tenantId: number, orderId: number, productIds: number[], quantities: number[]],
  { product_id: number; quantity: number; taken: number; returned: number }
>({
  name: 'find_too_much_returned',
  lane: 'slow',
  sql: `with wanted as materialized (
     select product_id, sum(quantity) as quantity from unnest($3::bigint[], $4::numeric[]) w (product_id, quantity) group by product_id
   ), taken as materialized (
     select x.product_id, sum(${takenOf('o', 'x')}) as quantity
     from orders o join order_lines x on x.tenant_id = $1 and x.order_id = o.id
     where o.tenant_id = $1 and o.id = $2 group by x.product_id
   )
   select w.product_id, w.quantity, coalesce(t.quantity, 0) as taken, ${returnedOf('$2', 'w.product_id')} as returned
   from wanted w left join taken t using (product_id)
   where w.quantity + ${returnedOf('$2', 'w.product_id')} > coalesce(t.quantity, 0)
   order by w.product_id`,
})

/** The order that a return names, or undefined. Throws `not_found`, and `validation_error` when the two names are of different orders. */
export async function orderOf(
  db: Queryable,
  tenantId: number,
  { order_id, order_tenant_id }: { order_id?: number | null | undefined; order_tenant_id?: string | null | undefined },
): Promise<ReturnedOrder | undefined> {
  if ((order_id ?? order_tenant_id ?? null) === null) return undefined
  const order = await db.runOne(findOrder, [tenantId, order_id ?? null, order_tenant_id ?? null])
  if (order === undefined) throw new ServiceError('not_found', 'Order not found')
  if (order.is_same === false) {
    const error = 'names another order than order_id'
    throw new ServiceError('validation_error', `order_tenant_id: ${error}`, { details: [{ path: 'order_tenant_id', error }] })
  }
  return order
}

/**
 * Locks the order, in a transaction, and throws `return_error` if with these products more would come back than was taken of them. Others
 * who add to the order's returns wait.
 */
export async function requireTaken(
  tx: Queryable,
  tenantId: number,
  orderId: number,
  lines: readonly { productId: number; quantity: number }[],
): Promise<void> {
  await tx.run(lockOrder, [tenantId, orderId])
  const [first] = await tx.run(findTooMuch, [
    tenantId,
    orderId,
    lines.map(({ productId }) => productId),
    lines.map(({ quantity }) => quantity),
  ])
  if (first === undefined) return
  const { product_id, quantity, taken, returned } = first
  throw new ServiceError(
    'return_error',
    `Cannot return ${quantity} of product ${product_id}: ${taken} taken for the order, ${returned} in other returns`,
  )
}
