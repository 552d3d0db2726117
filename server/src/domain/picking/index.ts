export { cancelFlowOfOrder } from './cancel-running-flow.ts'
