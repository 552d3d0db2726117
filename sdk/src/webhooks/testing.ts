export { signWebhook } from './sign-webhook.ts'
export { testEvent } from './test-event.ts'
