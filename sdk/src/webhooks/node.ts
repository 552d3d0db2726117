export { fastifyReceiver, type FastifyReceiverOptions } from './fastify-receiver.ts'
export { nodeReceiver, nodeReceiver as expressReceiver } from './node-receiver.ts'
export { verifyWebhookSync } from './verify-webhook-sync.ts'
