export { startDeliveryEngine, type DeliveryEngine, type DeliveryEngineOptions } from './delivery/engine.ts'
export { webhooksRouter } from './router.ts'
