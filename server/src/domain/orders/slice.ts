import { slice } from '../../procedures/slice.ts'
import { exportedOrders } from './export-orders.ts'
import { cancelOrder } from './cancel-order.ts'
import { createOrders } from './create-orders.ts'
import { getOrder } from './get-order.ts'
import { listOrders } from './list-orders.ts'
import { updateOrder } from './update-order.ts'

import { orderCreated, orderUpdated, orderCancelled, orderCompleted } from '../order-states/index.ts'

import { foldOrders } from './fold-orders.ts'

/** Orders. */
export const orders = slice({
  tags: [{ name: 'orders', description: "Orders to fulfil, identified by the client's own `order_tenant_id`." }],
  endpoints: [createOrders, listOrders, getOrder, updateOrder, cancelOrder],
  topics: [orderCreated, orderUpdated, orderCancelled, orderCompleted],
  rollups: [foldOrders],
  exports: [exportedOrders],
})
