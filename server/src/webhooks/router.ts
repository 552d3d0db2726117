import { endpoint, router } from '../trpc.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { listDeliveries } from './list-deliveries.ts'
import { getWebhook, listWebhooks } from './read-webhooks.ts'
import { replayEvents } from './replay-events.ts'
import { retryDelivery } from './retry-delivery.ts'
import { rotateSecret } from './rotate-secret.ts'
import {
  createdWebhook,
  deletedWebhook,
  delivery,
  deliveryList,
  deliveryPath,
  deliveryQuery,
  newWebhook,
  replayed,
  replayRequest,
  rotatedSecret,
  testRequest,
  webhook,
  webhookChanges,
  webhookList,
  webhookListQuery,
  webhookPath,
} from './schemas.ts'
import { sendTest } from './send-test.ts'
import { updateWebhook } from './update-webhook.ts'

const extension = { extension: true }

export const webhooksRouter = router({
  create: endpoint(
    'write:webhooks',
    {
      method: 'POST',
      path: '/webhooks',
      summary: 'Subscribe to events',
      description:
        'Sends every event of the topics to the address as a signed POST, until it is acknowledged with a 2xx within 15 seconds: at most 12 attempts in about three days. The `secret` is returned only in this answer; keep it to verify signatures. A tenant has at most 100 subscriptions, including inactive ones.',
    },
    { callsOthers: true },
  )
    .input(newWebhook)
    .output(createdWebhook)
    .mutation(({ ctx, input }) => createWebhook(ctx, input)),

  list: endpoint('read:webhooks', {
    method: 'GET',
    path: '/webhooks',
    summary: 'List subscriptions',
    description: 'Active subscriptions, oldest first, without their secrets.',
  })
    .input(webhookListQuery)
    .output(webhookList)
    .query(({ ctx, input }) => listWebhooks(ctx, input)),

  get: endpoint(
    'read:webhooks',
    {
      method: 'GET',
      path: '/webhooks/{id}',
      summary: 'Get a subscription',
      description: 'One subscription, active or not, with why and since when it is disabled or failing.',
    },
    extension,
  )
    .input(webhookPath)
    .output(webhook)
    .query(({ ctx, input }) => getWebhook(ctx, input)),

  update: endpoint(
    'write:webhooks',
    {
      method: 'PUT',
      path: '/webhooks/{id}',
      summary: 'Change a subscription',
      description:
        'Only the given fields change. `active: true` enables a disabled subscription again; events of the meantime are `skipped` deliveries, which a replay can send.',
    },
    { ...extension, callsOthers: true },
  )
    .input(webhookChanges)
    .output(webhook)
    .mutation(({ ctx, input }) => updateWebhook(ctx, input)),

  delete: endpoint(
    'write:webhooks',
    {
      method: 'DELETE',
      path: '/webhooks/{id}',
      summary: 'Delete a subscription',
      description: 'Pending deliveries are discarded.',
    },
    extension,
  )
    .input(webhookPath)
    .output(deletedWebhook)
    .mutation(({ ctx, input }) => deleteWebhook(ctx, input)),

  rotateSecret: endpoint(
    'write:webhooks',
    {
      method: 'POST',
      path: '/webhooks/{id}/rotate-secret',
      summary: 'Rotate the signing secret',
      description:
        'Returns a new secret. Each former secret signs too, as a further `v1`, until 24 hours after it was replaced; at most 10 at a time.',
    },
    extension,
  )
    .input(webhookPath)
    .output(rotatedSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx, input)),

  test: endpoint(
    'write:webhooks',
    {
      method: 'POST',
      path: '/webhooks/{id}/test',
      summary: 'Send a test event',
      description:
        'Sends a sample event of the topic once, to this subscription alone, and returns the delivery. The id of the event starts with `evt_test_`; the event feed does not have it.',
    },
    { ...extension, callsOthers: true },
  )
    .input(testRequest)
    .output(delivery)
    .mutation(({ ctx, input }) => sendTest(ctx, input)),

  deliveries: endpoint(
    'read:webhooks',
    {
      method: 'GET',
      path: '/webhooks/{id}/deliveries',
      summary: 'List deliveries',
      description: 'Deliveries of the last 30 days and pending ones, newest event first, with every attempt.',
    },
    { ...extension, readsReplica: true },
  )
    .input(deliveryQuery)
    .output(deliveryList)
    .query(({ ctx, input }) => listDeliveries(ctx, input)),

  retryDelivery: endpoint(
    'write:webhooks',
    {
      method: 'POST',
      path: '/webhooks/deliveries/{id}/retry',
      summary: 'Retry a delivery',
      description:
        'Queues one more attempt now, in any state of the delivery and even when the subscription is inactive. A `Retry-After` of the receiver is respected.',
    },
    extension,
  )
    .input(deliveryPath)
    .output(delivery)
    .mutation(({ ctx, input }) => retryDelivery(ctx, input)),

  replay: endpoint(
    'write:webhooks',
    {
      method: 'POST',
      path: '/webhooks/{id}/replay',
      summary: 'Replay events',
      description:
        'Queues all events of the time range that match the topics of the subscription: acknowledged, failed and skipped ones, and those from before its creation. Pending ones are not queued twice. The subscription must be active.',
    },
    // Of several transactions.
    { ...extension, callsOthers: true },
  )
    .input(replayRequest)
    .output(replayed)
    .mutation(({ ctx, input }) => replayEvents(ctx, input)),
})
