export { ordersRouter } from './router.ts'
export { listOrdersInput, orderLine, orderSummary } from './schemas.ts'
