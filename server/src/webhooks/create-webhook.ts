import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import type { CreatedWebhook, NewWebhook } from './schemas.ts'
import { newSigningSecret } from './signing-secret.ts'
import { requireAllowedTarget } from './targets/require-allowed-target.ts'

/** Subscriptions of a tenant: each event may become as many deliveries. */
const MAX_SUBSCRIPTIONS = 100

/** Lets the tenant's subscriptions be counted and made by one call at a time. */
const lockTenant = statement<[tenantId: number], { id: number }>(
  'lock_tenant_for_subscription',
  'select id from tenants where id = $1 for no key update',
)

const insertSubscription = statement<
  [tenantId: number, name: string, url: string, events: string[], secretCiphertext: Buffer],
  Omit<CreatedWebhook, 'secret'>
>(
  'insert_subscription',
  `with subscription as (
     insert into webhook_subscriptions (tenant_id, name, url, events, secret_ciphertext)
     select $1, $2, $3, $4, $5
     where (select count(*) from (select from webhook_subscriptions where tenant_id = $1 limit ${MAX_SUBSCRIPTIONS}) s) < ${MAX_SUBSCRIPTIONS}
     returning id, name, url, events, active, created_at
   ), lane as (
     insert into webhook_lanes (tenant_id, subscription_id) select $1, id from subscription
   )
   select id::text as id, name, url, events, active, created_at from subscription`,
)

/**
 * Subscribes a receiver and returns the signing secret, which is not shown again. Throws `validation_error` for an address that is not
 * allowed, and when the tenant has as many subscriptions as it may have.
 */
export async function createWebhook(
  { db, caller, encryption, webhookTargets }: RequestContext,
  input: NewWebhook,
): Promise<CreatedWebhook> {
  await requireAllowedTarget(input.url, webhookTargets, caller.tenantId)
  const secret = newSigningSecret()
  const values = [caller.tenantId, input.name, input.url, input.events, encryption.encrypt(secret)] as const
  const [row] = await db.transaction(async (tx) => {
    // A statement of its own: the next one sees what was made while this one waited.
    await tx.run(lockTenant, [caller.tenantId])
    return await tx.runLast(insertSubscription, [...values])
  })
  if (row === undefined) {
    const problem = `a tenant has at most ${MAX_SUBSCRIPTIONS} webhooks, inactive ones included; delete one that is no longer needed`
    throw new ServiceError('validation_error', `webhooks: ${problem}`)
  }
  const { id, name, url, events, active, created_at } = row
  return { id, name, url, events, secret, active, created_at }
}
