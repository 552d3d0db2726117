import { endpoint, router } from '../trpc.ts'
import { cancelOrder } from './cancel-order.ts'
import { createOrders } from './create-orders.ts'
import { getOrder } from './get-order.ts'
import { listOrders } from './list-orders.ts'
import { ordersOfBody } from './orders-of-body.ts'
import {
  cancelledOrder,
  createdOrders,
  listOrdersInput,
  newOrders,
  order,
  orderCancellation,
  orderId,
  orderList,
  orderUpdate,
  updatedOrder,
} from './schemas.ts'
import { updateOrder } from './update-order.ts'

export const ordersRouter = router({
  create: endpoint(
    'write:orders',
    {
      method: 'POST',
      path: '/orders',
      summary: 'Create orders',
      description: `Creates one or several orders, all or none. Send an order, an array of orders, or \`{ "orders": [...] }\`.

An order whose \`order_tenant_id\` exists is skipped and counted in \`existing_count\`, so it is safe to submit again. When an \`order_tenant_id\` is submitted twice, the first order is created. Sends \`order/created\` for each created order.`,
    },
    { errors: ['creation_error'], inputOfBody: ordersOfBody, indexedInput: 'orders' },
  )
    .input(newOrders)
    .output(createdOrders)
    .mutation(({ ctx, input }) => createOrders(ctx, input)),

  list: endpoint(
    'read:orders',
    {
      method: 'GET',
      path: '/orders',
      summary: 'List orders',
      description: 'Newest first. Filters can be combined. `total` is exact.',
    },
    { readsReplica: true },
  )
    .input(listOrdersInput)
    .output(orderList)
    .query(({ ctx, input }) => listOrders(ctx, input)),

  get: endpoint('read:orders', {
    method: 'GET',
    path: '/orders/{id}',
    summary: 'Get an order',
    description: 'One order with its lines.',
  })
    .input(orderId)
    .output(order)
    .query(({ ctx, input }) => getOrder(ctx, input)),

  update: endpoint(
    'write:orders',
    {
      method: 'PUT',
      path: '/orders/{id}',
      summary: 'Update an order',
      description: `Changes the given fields of an order that is neither completed nor cancelled. Sends \`order/updated\` when something changed, and also \`order/completed\` or \`order/cancelled\` when \`state_id\` becomes 5 or 7.

While a picking flow of the order runs, \`state_id\` can only be set to 7. This also cancels the flow and returns its picks to stock.`,
    },
    { errors: ['update_error', 'adjustment_error'] },
  )
    .input(orderUpdate)
    .output(updatedOrder)
    .mutation(({ ctx, input }) => updateOrder(ctx, input)),

  cancel: endpoint(
    'write:orders',
    {
      method: 'POST',
      path: '/orders/{id}/cancel',
      summary: 'Cancel an order',
      description: `Finds the order by \`order_tenant_id\` in the body when it is given, else by the id in the path, else by the \`order_tenant_id\` in the path.

Sends \`order/cancelled\`. Cancelling a cancelled order succeeds again and sends nothing.

A running picking flow is cancelled too: its picks return to stock, with their stock events, and \`flow/cancelled\` is sent first. Picks of earlier, completed flows are kept.`,
    },
    { errors: ['cancel_error', 'adjustment_error'] },
  )
    .input(orderCancellation)
    .output(cancelledOrder)
    .mutation(({ ctx, input }) => cancelOrder(ctx, input)),
})
