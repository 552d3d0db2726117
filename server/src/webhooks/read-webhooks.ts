import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import type { Webhook } from './schemas.ts'
import { subscriptionIdOf, webhookNotFound } from './webhook-id.ts'

const SUBSCRIPTION = `
  select s.id::text as id, s.name, s.url, s.events, s.active, s.created_at, s.updated_at, s.disabled_reason, s.disabled_at, l.failing_since
  from webhook_subscriptions s join webhook_lanes l on l.tenant_id = s.tenant_id and l.subscription_id = s.id
  where s.tenant_id = $1`

const selectAll = statement<[tenantId: number, includeInactive: boolean], Webhook>(
  'select_subscriptions',
  `${SUBSCRIPTION} and (s.active or $2) order by s.id`,
)
const selectOne = statement<[tenantId: number, id: number], Webhook>('select_subscription', `${SUBSCRIPTION} and s.id = $2`)

/** The tenant's subscriptions, oldest first. */
export async function listWebhooks(
  { db, caller }: RequestContext,
  query: { include_inactive: boolean },
): Promise<{ webhooks: Webhook[] }> {
  return { webhooks: await db.run(selectAll, [caller.tenantId, query.include_inactive]) }
}

/** One subscription, active or not. Throws `not_found`. */
export async function getWebhook({ db, caller }: RequestContext, input: { id: string }): Promise<Webhook> {
  const row = await db.runOne(selectOne, [caller.tenantId, subscriptionIdOf(input.id)])
  if (row === undefined) throw webhookNotFound()
  return row
}
