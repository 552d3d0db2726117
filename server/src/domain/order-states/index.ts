export { changeOrders, lockedOrder, recordOrderCounts } from './change-orders.ts'
export { minutesBetween, orderCancelledData, orderCompletedData, orderUpdatedData } from './order-events.ts'
export { ORDER_STATES, ORDER_STATE_NAMES, orderStateName, PICKING_STATES, type OrderStateId } from './order-states.ts'
export { orderCancelled, orderCompleted, orderCreated, orderUpdated } from './order-topics.ts'
