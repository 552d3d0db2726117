import { statement } from '../../database/statements/statement.ts'
import { requireAllowedTarget } from '../../delivery/index.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { getWebhook } from './get-webhook.ts'
import { webhook, updateWebhookInput } from './schemas.ts'
import { subscriptionIdOf } from './webhook-id.ts'

// Lock order: the lane first, as in the statement that records results. It may have disabled the subscription just before: `before` is as it is then.
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
>({
  name: 'update_subscription',
  connection: 'write',
  sql: `with lane as materialized (
     select tenant_id, subscription_id from webhook_lanes where tenant_id = $1 and subscription_id = $2 for no key update
   ), before as materialized (
     select s.tenant_id, s.id, s.name, s.url, s.events, s.active
     from lane join webhook_subscriptions s on s.tenant_id = lane.tenant_id and s.id = lane.subscription_id
     for no key update of s
   ), reset as (
     update webhook_lanes l set due_at = now(), cap = default, held_until = null, failing_since = null, failed_attempts = 0
     from before b where l.tenant_id = b.tenant_id and l.subscription_id = b.id and (b.active <> $6 or b.url <> $4)
   )
   update webhook_subscriptions s
   set name = coalesce($3, s.name), url = coalesce($4, s.url), events = coalesce($5, s.events), active = coalesce($6, s.active),
     disabled_reason = case when $6 then null when not $6 and s.active then 'paused' else s.disabled_reason end,
     disabled_at = case when $6 then null when not $6 and s.active then now() else s.disabled_at end,
     updated_at = now()
   from before b
   where s.tenant_id = b.tenant_id and s.id = b.id
     and (b.name, b.url, b.events, b.active) is distinct from
       (coalesce($3, s.name), coalesce($4, s.url), coalesce($5, s.events), coalesce($6, s.active))
   returning s.id`,
})

/**
 * Changes the given fields. Another URL, or turning the subscription on or off, resets its failures and makes its lane due. Throws
 * `not_found`, and `validation_error` for a URL that is not allowed.
 */
export const updateWebhook = endpoint({
  name: 'webhooks.update',
  scope: 'write:webhooks',
  method: 'PUT',
  path: '/webhooks/{id}',
  summary: 'Change a subscription',
  description:
    'Only the given fields change. `active: true` enables a disabled subscription again. Events recorded while it was inactive have `skipped` deliveries; a replay can send them.',
  isAddition: true,
  outsideTransaction: true,
  input: updateWebhookInput,
  output: webhook,
  run: async (context, input) => {
    const { db, caller, webhookTargets } = context
    const { name, url, events, active } = input
    const id = subscriptionIdOf(input.id)
    await getWebhook.run(context, input)
    if (url !== undefined) await requireAllowedTarget(url, webhookTargets, caller.tenantId)
    await db.run(updateSubscription, [caller.tenantId, id, name, url, events, active])
    return getWebhook.run(context, input)
  },
})
