import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { takenOf } from '../order-states/index.ts'
import { findOrderBy, type NamedOrder, requireOrder } from '../records/index.ts'
import { returnedOf } from './returned-goods.ts'
import type { createReturnInput } from './schemas.ts'

const findOrder = statement<
  [tenantId: number, orderId: number | null, orderTenantId: string | null],
  NamedOrder & { is_same: boolean | null }
>({
  name: 'find_order_of_return',
  connection: 'read',
  sql: findOrderBy('id, order_tenant_id, warehouse_id'),
})

const lockOrder = statement<[tenantId: number, orderId: number], { id: number }>({
  name: 'lock_order_of_return',
  connection: 'write',
  sql: 'select id from orders where tenant_id = $1 and id = $2 for no key update',
})

const findTooMuch = statement<
  [tenantId: number, orderId: number, productIds: number[], quantities: number[]],
  { product_id: number; quantity: number; taken: number; returned: number }
>({
  name: 'find_too_much_returned',
  connection: 'slow',
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
  names: Pick<z.infer<typeof createReturnInput>, 'order_id' | 'order_tenant_id'>,
): Promise<NamedOrder | undefined> {
  if ((names.order_id ?? names.order_tenant_id ?? null) === null) return undefined
  return requireOrder(db, findOrder, tenantId, names)
}

/** Locks the order, in a transaction: others who add to its returns wait. */
export async function lockOrderOfReturn(tx: Queryable, tenantId: number, orderId: number): Promise<void> {
  await tx.run(lockOrder, [tenantId, orderId])
}

/** Throws `return_error` if with these products more would come back than was taken of them. The order is locked. */
export async function requireTaken(
  tx: Queryable,
  tenantId: number,
  orderId: number,
  lines: readonly { productId: number; quantity: number }[],
): Promise<void> {
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
