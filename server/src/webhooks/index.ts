export { startDeliveryEngine, type DeliveryEngine, type DeliveryEngineOptions } from './delivery/engine.ts'
export { measureBacklog, type Backlog } from './delivery/measure-backlog.ts'
export { webhooksRouter } from './router.ts'
