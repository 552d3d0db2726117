import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { getWebhook } from './read-webhooks.ts'
import type { Webhook, WebhookChanges } from './schemas.ts'
import { requireAllowedTarget } from './targets/require-allowed-target.ts'
import { subscriptionIdOf } from './webhook-id.ts'

// The lane first, as in the statement that records results: whoever locks both does so in this order.
const resetLane = statement<[tenantId: number, id: number], unknown>(
  'reset_lane',
  `update webhook_lanes set due_at = now(), cap = default, held_until = null, failing_since = null, failed_attempts = 0
   where tenant_id = $1 and subscription_id = $2`,
)

const updateSubscription = statement<
  [
    tenantId: number,
    id: number,
    name: string | undefined,
    url: string | undefined,
    events: string[] | undefined,
    active: boolean | undefined,
  ],
  { id: number }
>(
  'update_subscription',
  `update webhook_subscriptions
   set name = coalesce($3, name), url = coalesce($4, url), events = coalesce($5, events), active = coalesce($6, active),
     disabled_reason = case when $6 then null when not $6 and active then 'paused' else disabled_reason end,
     disabled_at = case when $6 then null when not $6 and active then now() else disabled_at end,
     updated_at = now()
   where tenant_id = $1 and id = $2
     and (name, url, events, active) is distinct from (coalesce($3, name), coalesce($4, url), coalesce($5, events), coalesce($6, active))
   returning id`,
)

/**
 * Changes the given fields. A new address and turning the subscription on begin anew: what the receiver failed at before counts no more.
 * Throws `not_found`, and `validation_error` for an address that is not allowed.
 */
export async function updateWebhook(context: RequestContext, input: WebhookChanges): Promise<Webhook> {
  const { db, caller, webhookTargets } = context
  const id = subscriptionIdOf(input.id)
  const current = await getWebhook(context, input)
  if (input.url !== undefined) await requireAllowedTarget(input.url, webhookTargets)
  const beginsAnew = input.active === true || (input.url !== undefined && input.url !== current.url)
  await db.transaction(async (tx) => {
    if (beginsAnew || input.active === false) await tx.run(resetLane, [caller.tenantId, id])
    await tx.run(updateSubscription, [caller.tenantId, id, input.name, input.url, input.events, input.active])
  })
  return getWebhook(context, input)
}
