import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import type { CreatedWebhook, NewWebhook } from './schemas.ts'
import { newSigningSecret } from './signing-secret.ts'
import { requireAllowedTarget } from './targets/require-allowed-target.ts'

const insertSubscription = statement<
  [tenantId: number, name: string, url: string, events: string[], secretCiphertext: Buffer],
  Omit<CreatedWebhook, 'secret'>
>(
  'insert_subscription',
  `with subscription as (
     insert into webhook_subscriptions (tenant_id, name, url, events, secret_ciphertext) values ($1, $2, $3, $4, $5)
     returning id, name, url, events, active, created_at
   ), lane as (
     insert into webhook_lanes (tenant_id, subscription_id) select $1, id from subscription
   )
   select id::text as id, name, url, events, active, created_at from subscription`,
)

/** Subscribes a receiver and returns the signing secret, which is not shown again. Throws `validation_error` for an address that is not allowed. */
export async function createWebhook(
  { db, caller, encryption, webhookTargets }: RequestContext,
  input: NewWebhook,
): Promise<CreatedWebhook> {
  await requireAllowedTarget(input.url, webhookTargets)
  const secret = newSigningSecret()
  const row = await db.runOne(insertSubscription, [
    caller.tenantId,
    input.name,
    input.url,
    input.events,
    encryption.encrypt(secret),
  ])
  const { id, name, url, events, active, created_at } = row as Omit<CreatedWebhook, 'secret'>
  return { id, name, url, events, secret, active, created_at }
}
