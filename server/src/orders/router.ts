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
      description: `Creates one or several orders, all of them or none: send an order, an array of orders, or \`{ "orders": [...] }\`.

An order whose \`order_tenant_id\` exists already is skipped and counted in \`existing_count\`, so a submission can be sent again safely. Of an \`order_tenant_id\` that is submitted twice, the first is created. Sends \`order/created\` for each created order.`,
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
      description: `Changes the fields given, of an order that is neither completed nor cancelled. Sends \`order/updated\` when something changed, and besides \`order/completed\` or \`order/cancelled\` when \`state_id\` becomes 5 or 7.

While a picking flow of the order runs, \`state_id\` can only be set to 7, which cancels the flow too and puts its picks back to stock.`,
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
      description: `The order is the one that \`order_tenant_id\` in the body names, when it is given; else the one whose id is in the path; else the one whose \`order_tenant_id\` is in the path.

Sends \`order/cancelled\`. Cancelling a cancelled order succeeds again and sends nothing.

A running picking flow is cancelled too: its picks go back to stock, with their stock events, and \`flow/cancelled\` is sent first. What earlier, completed flows picked stays taken.`,
    },
    { errors: ['cancel_error', 'adjustment_error'] },
  )
    .input(orderCancellation)
    .output(cancelledOrder)
    .mutation(({ ctx, input }) => cancelOrder(ctx, input)),
})
