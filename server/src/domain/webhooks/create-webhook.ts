import { statement } from '../../database/statements/statement.ts'
import { requireAllowedTarget } from '../../delivery/index.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { createWebhookOutput, type CreatedWebhook, createWebhookInput } from './schemas.ts'
import { newSigningSecret } from './signing-secret.ts'

/** Subscriptions per tenant: an event can become this many deliveries. */
const MAX_SUBSCRIPTIONS = 100

/** Only one call at a time counts and creates subscriptions of a tenant. */
const lockTenant = statement<[tenantId: number], { id: number }>({
  name: 'lock_tenant_for_subscription',
  connection: 'write',
  sql: 'select id from tenants where id = $1 for no key update',
})

const insertSubscription = statement<
  [tenantId: number, name: string, url: string, events: string[], secretCiphertext: Buffer],
  Omit<CreatedWebhook, 'secret'>
>({
  name: 'insert_subscription',
  connection: 'write',
  sql: `with subscription as (
     insert into webhook_subscriptions (tenant_id, name, url, events, secret_ciphertext)
     select $1, $2, $3, $4, $5
     where (select count(*) from (select from webhook_subscriptions where tenant_id = $1 limit ${MAX_SUBSCRIPTIONS}) s) < ${MAX_SUBSCRIPTIONS}
     returning id, name, url, events, active, created_at
   ), lane as (
     insert into webhook_lanes (tenant_id, subscription_id) select $1, id from subscription
   )
   select id::text as id, name, url, events, active, created_at from subscription`,
})

/**
 * Subscribes a receiver and returns the signing secret, which is not returned again. Throws `validation_error` for a URL that is not
 * allowed, and when the tenant has reached its limit of subscriptions.
 */
export const createWebhook = endpoint({
  name: 'webhooks.create',
  scope: 'write:webhooks',
  method: 'POST',
  path: '/webhooks',
  summary: 'Subscribe to events',
  description:
    'Sends every event of the topics to the URL as a signed POST. The receiver acknowledges an event with a 2xx within 15 seconds; otherwise the delivery is retried, with at most 12 attempts over about three days. The `secret` is returned only in this response; keep it to verify signatures. Changes that are in progress when the subscription is created may send it no event. A tenant has at most 100 subscriptions, including inactive ones.',
  waitsFirst: true,
  input: createWebhookInput,
  output: createWebhookOutput,
  run: async ({ db, caller, encryption, webhookTargets }, input) => {
    await requireAllowedTarget(input.url, webhookTargets, caller.tenantId)
    const secret = newSigningSecret()
    const values = [caller.tenantId, input.name, input.url, input.events, encryption.encrypt(secret)] as const
    const [row] = await db.transaction(async (tx) => {
      // A separate statement: the next one sees the subscriptions created while this one waited.
      await tx.run(lockTenant, [caller.tenantId])
      return await tx.runLast(insertSubscription, [...values])
    })
    if (row === undefined) {
      const problem = `a tenant has at most ${MAX_SUBSCRIPTIONS} subscriptions, inactive ones included; delete one that is no longer needed`
      throw new ServiceError('validation_error', `webhooks: ${problem}`)
    }
    const { id, name, url, events, active, created_at } = row
    return { id, name, url, events, secret, active, created_at }
  },
})
