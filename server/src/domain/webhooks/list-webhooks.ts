import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { listWebhooksInput, listWebhooksOutput, type Webhook } from './schemas.ts'
import { SELECT_SUBSCRIPTIONS } from './select-subscriptions.ts'

const selectAll = statement<[tenantId: number, includeInactive: boolean], Webhook>({
  name: 'select_subscriptions',
  connection: 'read',
  sql: `${SELECT_SUBSCRIPTIONS} and (s.active or $2) order by s.id`,
})

/** The tenant's subscriptions, oldest first. */
export const listWebhooks = endpoint({
  name: 'webhooks.list',
  scope: 'read:webhooks',
  method: 'GET',
  path: '/webhooks',
  summary: 'List subscriptions',
  description: 'Active subscriptions, oldest first, without their secrets.',
  input: listWebhooksInput,
  output: listWebhooksOutput,
  run: async ({ db, caller }, query) => {
    return { webhooks: await db.run(selectAll, [caller.tenantId, query.include_inactive]) }
  },
})
