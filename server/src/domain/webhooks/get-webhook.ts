import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { webhook, type Webhook, webhookPath } from './schemas.ts'
import { SELECT_SUBSCRIPTIONS } from './select-subscriptions.ts'
import { subscriptionIdOf, webhookNotFound } from './webhook-id.ts'

const selectOne = statement<[tenantId: number, id: number], Webhook>({
  name: 'select_subscription',
  connection: 'read',
  sql: `${SELECT_SUBSCRIPTIONS} and s.id = $2`,
})

/** One subscription, active or not. Throws `not_found`. */
export const getWebhook = endpoint({
  name: 'webhooks.get',
  scope: 'read:webhooks',
  method: 'GET',
  path: '/webhooks/{id}',
  summary: 'Get a subscription',
  description: 'One subscription, active or inactive, with the reason and time it was disabled and the time it began to fail.',
  isAddition: true,
  input: webhookPath,
  output: webhook,
  run: async ({ db, caller }, input) => {
    const row = await db.runOne(selectOne, [caller.tenantId, subscriptionIdOf(input.id)])
    if (row === undefined) throw webhookNotFound()
    return row
  },
})
