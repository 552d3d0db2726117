export { signWebhook } from './sign-webhook.ts'
export { type EventFields, testEvent } from './test-event.ts'
