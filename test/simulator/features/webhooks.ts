import { newNumber, type ClientState, type Webhook } from '../client-state.ts'
import { numbered, ok, operation, refused, type Data, type Operation, type Request } from '../operation.ts'
import { sameRows } from '../quiet/same-rows.ts'
import type { Random } from '../random.ts'

/**
 * Subscriptions of a client's own, beside the one of its tenant: section "Webhooks" of the specification and the decisions. What their receivers
 * get is compared in `quiet/compare-deliveries.ts`.
 */

const MAX_WEBHOOKS = 2
const MAX_SECRETS = 4
const TOPICS = ['order/created', 'order/updated', 'stock/updated', 'flow/completed', 'product/updated', 'inbound/updated']
/** Replays go back so far. */
const REPLAYED_MS = 2_000

const nameOf = ({ name }: ClientState, n: number): string => `${name}-webhook${n}`
const urlOf = ({ receiver }: ClientState, n: number): string => `${receiver}-webhook${n}`

export const shownWebhook = (client: ClientState, { n, id, name, events, isActive }: Webhook): object => ({
  id,
  name,
  url: urlOf(client, n),
  events,
  active: isActive,
  disabled_reason: isActive ? null : 'paused',
  secret: undefined,
})

const drawTopics = (random: Random): string[] => (random.chance(0.3) ? ['*'] : random.some(TOPICS, random.int(1, 3)))

/** A call on a webhook of the client. */
const onWebhook = <Input extends { webhook: number }>(
  id: string,
  weight: number,
  path: (webhook: Webhook, input: Input) => Request | undefined,
  expect: (client: ClientState, webhook: Webhook, input: Input, data: Data) => ReturnType<Operation['expect']>,
  further: (webhook: Webhook, random: Random) => Omit<Input, 'webhook'> | undefined = () => ({}) as Omit<Input, 'webhook'>,
  makesRecord?: true,
): Operation =>
  operation<Input>({
    id,
    weight,
    ...(makesRecord && { makesRecord }),
    draw(client, random) {
      const webhook = random.one(client.webhooks)
      const more = webhook && further(webhook, random)
      return webhook && more && ({ webhook: webhook.n, ...more } as Input)
    },
    request(client, input) {
      const webhook = numbered(client.webhooks, input.webhook)
      return webhook && path(webhook, input)
    },
    expect: (client, input, data) => expect(client, numbered(client.webhooks, input.webhook) as Webhook, input, data),
  })

const isDelivery = (webhook: Webhook, { webhook_id, event }: Data): boolean =>
  webhook_id === webhook.id && (webhook.topics.has('*') || webhook.topics.has(event))

const ofDelivery = (webhook: Webhook): object | undefined =>
  webhook.delivery === undefined ? undefined : { delivery: webhook.delivery }

export const WEBHOOKS: Operation[] = [
  operation<{ n: number; events: string[] }>({
    id: 'webhooks.create',
    weight: 0.4,
    makesRecord: true,
    draw: (client, random) =>
      client.webhooks.length < MAX_WEBHOOKS ? { n: newNumber(client), events: drawTopics(random) } : undefined,
    request: (client, { n, events }) => ({
      method: 'POST',
      path: '/webhooks',
      body: { name: nameOf(client, n), url: urlOf(client, n), events },
    }),
    expect(client, { n, events }, data) {
      const webhook: Webhook = {
        n,
        id: data.id,
        name: nameOf(client, n),
        url: urlOf(client, n),
        events,
        isActive: true,
        topics: new Set(events),
        secrets: [data.secret],
        settledFor: Infinity,
        isUnchanged: false,
        mustHave: new Set(),
        delivery: undefined,
      }
      client.webhooks.push(webhook)
      client.everyWebhook.push(webhook)
      return ok({ ...shownWebhook(client, webhook), disabled_reason: undefined, secret: isSecret })
    },
  }),

  onWebhook(
    'webhooks.get',
    0.4,
    ({ id }) => ({ method: 'GET', path: `/webhooks/${id}` }),
    (client, webhook) => ok(shownWebhook(client, webhook)),
  ),

  operation<{ none: true }>({
    id: 'webhooks.list',
    weight: 0.3,
    draw: () => ({ none: true }),
    request: () => ({ method: 'GET', path: '/webhooks' }),
    expect: (client) =>
      ok({ webhooks: (rows: unknown) => sameWebhooks(client, rows as Data[], ({ isActive }) => isActive) ?? true }),
  }),

  onWebhook<{ webhook: number; change: { name?: string; active?: boolean; events?: string[] } }>(
    'webhooks.update',
    0.4,
    ({ id }, { change }) => ({ method: 'PUT', path: `/webhooks/${id}`, body: change }),
    (client, webhook, { change }) => {
      if (change.name !== undefined) webhook.name = change.name
      if (change.active !== undefined) webhook.isActive = change.active
      if (change.events !== undefined) {
        webhook.events = change.events
        for (const topic of change.events) webhook.topics.add(topic)
      }
      // What was not delivered yet is skipped, or looked for by the new topics.
      if (change.name === undefined) forget(webhook)
      return ok(shownWebhook(client, webhook))
    },
    ({ name, isActive }, random) => ({
      change: random.of([{ name: `${name}!` }, { active: !isActive || random.chance(0.5) }, { events: drawTopics(random) }]),
    }),
  ),

  onWebhook(
    'webhooks.rotateSecret',
    0.5,
    ({ id }) => ({ method: 'POST', path: `/webhooks/${id}/rotate-secret` }),
    (_, webhook, __, data) => {
      const former = new Set(webhook.secrets)
      webhook.secrets.push(data.secret)
      webhook.settledFor = 0
      return ok({ id: webhook.id, secret: (secret: unknown) => isSecret(secret) && !former.has(secret as string) })
    },
    ({ secrets }) => (secrets.length < MAX_SECRETS ? {} : undefined),
    true,
  ),

  onWebhook<{ webhook: number; topic: string }>(
    'webhooks.test',
    0.2,
    ({ id }, { topic }) => ({ method: 'POST', path: `/webhooks/${id}/test`, body: { event: topic } }),
    (_, webhook, { topic }) => {
      webhook.topics.add(topic)
      return ok({
        webhook_id: webhook.id,
        event: topic,
        state: (state: unknown) => state === 'succeeded' || state === 'failed',
        attempts: [{ number: 1, trigger: 'test' }],
      })
    },
    (_, random) => ({ topic: random.of(TOPICS) }),
  ),

  onWebhook(
    'webhooks.deliveries',
    0.4,
    ({ id }) => ({ method: 'GET', path: `/webhooks/${id}/deliveries?limit=10` }),
    (_, webhook, __, data) => {
      webhook.delivery = data?.deliveries[0]?.id
      return ok({ deliveries: (rows: unknown) => (rows as Data[]).every((row) => isDelivery(webhook, row)) })
    },
  ),

  onWebhook<{ webhook: number; delivery: string }>(
    'webhooks.getDelivery',
    0.3,
    (_, { delivery }) => ({ method: 'GET', path: `/webhooks/deliveries/${delivery}` }),
    (_, webhook, { delivery }) => ok({ id: delivery, webhook_id: webhook.id }),
    ofDelivery as () => { delivery: string } | undefined,
  ),

  onWebhook<{ webhook: number; delivery: string }>(
    'webhooks.retryDelivery',
    0.2,
    (_, { delivery }) => ({ method: 'POST', path: `/webhooks/deliveries/${delivery}/retry` }),
    (_, webhook, { delivery }) => ok({ id: delivery, webhook_id: webhook.id }),
    ofDelivery as () => { delivery: string } | undefined,
  ),

  onWebhook(
    'webhooks.replay',
    0.1,
    ({ id }) => ({
      method: 'POST',
      path: `/webhooks/${id}/replay`,
      body: { since: new Date(Date.now() - REPLAYED_MS).toISOString() },
    }),
    (_, { isActive }) => (isActive ? ok({ queued: (queued: unknown) => Number.isInteger(queued) }) : refused('validation_error')),
    undefined,
    // A further call would have another time.
    true,
  ),

  onWebhook(
    'webhooks.delete',
    0.1,
    ({ id }) => ({ method: 'DELETE', path: `/webhooks/${id}` }),
    (client, webhook) => {
      forget(webhook)
      client.webhooks = client.webhooks.filter((other) => other !== webhook)
      return ok({ webhook_id: webhook.id })
    },
  ),
]

const isSecret = (secret: unknown): boolean => /^whsec_[\w+/]{43}=$/.test(String(secret))

function forget(webhook: Webhook): void {
  webhook.isUnchanged = false
  webhook.mustHave.clear()
}

/** The first difference between the client's webhooks and a list of its tenant. */
export function sameWebhooks(
  client: ClientState,
  rows: readonly Data[],
  isListed: (webhook: Webhook) => boolean = () => true,
): string | undefined {
  const own = rows.filter(({ name }) => String(name).startsWith(`${client.name}-`)).map(({ id }) => id)
  return sameRows(
    'webhooks',
    client.webhooks.filter(isListed).map(({ id }) => id),
    own,
  )
}
