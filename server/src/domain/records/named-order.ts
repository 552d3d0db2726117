import type { Queryable } from '../../database/database.ts'
import type { Statement } from '../../database/statements/statement.ts'
import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { id, text } from '../../procedures/fields/fields.ts'

/** The input fields that name an order. */
export const namedOrder = {
  order_id: id.nullish(),
  order_tenant_id: text(255, { minLength: 1 })
    .nullish()
    .describe("The client's own identifier of the order. When `order_id` is given too, both must name the same order."),
}

/** An order as a call names it. */
interface OrderNames {
  order_id?: number | null | undefined
  order_tenant_id?: string | null | undefined
}

/** The order that a call names. */
export interface NamedOrder {
  id: number
  order_tenant_id: string
  warehouse_id: number
}

/** Finds an order by its names. `is_same` tells whether the second name is its own; null if it is not given. */
export type FindOrder<Order extends NamedOrder> = Statement<
  [tenantId: number, orderId: number | null, orderTenantId: string | null],
  Order & { is_same: boolean | null }
>

/** SQL that finds an order by its names, with these columns. */
export const findOrderBy = (columns: string): string =>
  `select ${columns}, order_tenant_id = $3 as is_same from orders
   where tenant_id = $1 and id = coalesce($2::bigint, (select id from orders where tenant_id = $1 and order_tenant_id = $3::text))`

/** The order that a call names. Throws `not_found`, and `validation_error` when the two names are of different orders. */
export async function requireOrder<Order extends NamedOrder>(
  db: Queryable,
  find: FindOrder<Order>,
  tenantId: number,
  { order_id, order_tenant_id }: OrderNames,
): Promise<Order> {
  const order = await db.runOne(find, [tenantId, order_id ?? null, order_tenant_id ?? null])
  if (order === undefined) throw new ServiceError('not_found', 'Order not found')
  if (order.is_same === false) throw invalidField('order_tenant_id', 'names a different order than order_id')
  return order
}
