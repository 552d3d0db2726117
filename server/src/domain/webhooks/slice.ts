import { slice } from '../../procedures/slice.ts'
import { MINUTE_MS } from '../../runtime/periodic.ts'
import { clearDeletedSubscriptions } from './clear-deleted.ts'
import { exportedDeliveries } from './export-deliveries.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { listDeliveries } from './list-deliveries.ts'
import { getDelivery } from './get-delivery.ts'
import { getWebhook } from './get-webhook.ts'
import { listWebhooks } from './list-webhooks.ts'
import { replayEvents } from './replay-events.ts'
import { retryDelivery } from './retry-delivery.ts'
import { rotateSecret } from './rotate-secret.ts'
import { sendTest } from './send-test.ts'
import { updateWebhook } from './update-webhook.ts'

import { measureBacklog, putBackEvents } from '../../delivery/index.ts'

/** Webhook subscriptions and deliveries. */
export const webhooks = slice({
  tags: [{ name: 'webhooks', description: 'Subscriptions to events, and their deliveries.' }],
  endpoints: [
    createWebhook,
    listWebhooks,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    rotateSecret,
    sendTest,
    listDeliveries,
    getDelivery,
    retryDelivery,
    replayEvents,
  ],
  metrics: {
    gauges: {
      outbox_events: 'Events waiting for fan-out to deliveries; counted up to 100000.',
      outbox_age_seconds: 'Age of the oldest event waiting for fan-out; 0 if there is none.',
      outbox_set_aside_events: 'Events that could not be fanned out; retried once an hour.',
      webhook_waiting_deliveries: 'Pending deliveries; counted up to 100000.',
      webhook_due_lanes: 'Subscriptions with due deliveries.',
      webhook_held_lanes: 'Subscriptions that wait because their receiver fails or asked for it.',
      webhook_failing_lanes: 'Subscriptions whose latest attempt failed.',
    },
    measure: measureBacklog,
  },
  tasks: [
    { everyMs: 10_000, run: clearDeletedSubscriptions },
    { everyMs: MINUTE_MS, run: putBackEvents },
  ],
  exports: [exportedDeliveries],
})
