export { listOrdersInput, orderLine, orderSummary } from './schemas.ts'
