export { ordersRouter } from './router.ts'
