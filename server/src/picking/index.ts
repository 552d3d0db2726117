export { cancelFlowOfOrder } from './cancel-running-flow.ts'
export { flowsRouter } from './router.ts'
