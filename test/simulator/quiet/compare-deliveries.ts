import { sql } from 'kysely'
import type { Database } from '@fulfillment/server/database/database.ts'
import { Finding } from '../client.ts'
import type { Installation } from '../installation.ts'
import type { Data } from '../operation.ts'
import type { Receivers } from '../receivers.ts'
import { EXTENSION_TOPICS, type World } from '../world.ts'

const WAITS_MS = 90_000
/** Quiet points after which a worker signs nothing any more with what it read before a secret was replaced. */
const SETTLED_AFTER = 2

/** Lets the receivers recover, and waits until nothing is left to deliver: retries and leases of killed workers need not be waited for. */
export async function deliverAll({ db, receivers }: Installation): Promise<void> {
  receivers.setTroubled(false)
  const endsAt = Date.now() + WAITS_MS
  for (let look = 0; ; look++) {
    if (look % 5 === 0) await hurry(db)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const { rows } = await sql<{ count: number }>`
      select (select count(*) from event_outbox)::int + (select count(*) from waiting_deliveries)::int as count`.execute(
      db.kysely,
    )
    if (rows[0]?.count === 0) break
    if (Date.now() > endsAt) throw new Finding(`${rows[0]?.count} events or deliveries are still waiting`)
  }
  receivers.setTroubled(true)
}

async function hurry(db: Database): Promise<void> {
  await sql`update waiting_deliveries set lease_until = case when state = 'in_flight' then now() end, next_attempt_at = now()`.execute(
    db.kysely,
  )
  await sql`update webhook_lanes set due_at = now(), owner_until = now()`.execute(db.kysely)
}

/** Remembers which events of the round the webhooks of the clients must get. */
export function expectDeliveries({ clients }: World, events: readonly Data[]): void {
  for (const { state } of clients)
    for (const webhook of state.webhooks) {
      if (webhook.isUnchanged)
        for (const { id } of events.filter(({ event }) => isFor(webhook.events, event))) webhook.mustHave.add(id)
      webhook.isUnchanged = webhook.isActive
    }
}

/** What subscribers got so far: always with the same body, signed, and nothing of another tenant or topic. */
export function compareReceived({ receivers }: Installation, world: World): void {
  const known = receivers.received(world.subscriber)
  for (const subscriber of subscribersOf(receivers, world)) {
    const { name, secrets, isSettled } = subscriber
    const found = wrongEvent(subscriber, receivers.received(name), world.feed.ids, known)
    if (found !== undefined) throw new Finding(`${world.name}, subscriber ${name}: ${found}`)
    const wrong = receivers.takeWrongSignature(name, secrets, isSettled)
    if (wrong !== undefined) throw new Finding(`${world.name}, subscriber ${name}: ${wrong}`)
  }
  for (const { state } of world.clients) for (const webhook of state.everyWebhook) webhook.settledFor++
}

/** Once all is delivered: each event at least once. */
export function compareDeliveries(installation: Installation, world: World): void {
  compareReceived(installation, world)
  const { receivers } = installation
  for (const { name, mustHave } of subscribersOf(receivers, world)) {
    const acknowledged = receivers.acknowledged(name)
    const missing = [...mustHave].find((id) => !acknowledged.has(id))
    if (missing !== undefined) throw new Finding(`${world.name}, subscriber ${name}: event ${missing} was not delivered`)
  }
}

interface Subscriber {
  name: string
  mustHave: ReadonlySet<string>
  /** Undefined for all. */
  topics: readonly string[] | undefined
  secrets: readonly string[]
  /** All requests are signed as the secrets say now. */
  isSettled: boolean
}

function subscribersOf(receivers: Receivers, { subscriber, feed, secret, clients }: World): Subscriber[] {
  const own = clients.flatMap(({ state }) => state.everyWebhook)
  return [
    { name: subscriber, mustHave: feed.ids, topics: undefined, secrets: [secret], isSettled: true },
    ...own.map(({ url, topics, secrets, settledFor, mustHave }) => ({
      name: receivers.nameOf(url),
      mustHave,
      topics: [...topics],
      secrets,
      isSettled: settledFor >= SETTLED_AFTER,
    })),
  ]
}

/** `known` are the bodies that the tenant's subscription got. */
function wrongEvent(
  { topics }: Subscriber,
  received: ReadonlyMap<string, Set<string>>,
  feed: ReadonlySet<string>,
  known: ReadonlyMap<string, Set<string>>,
): string | undefined {
  for (const [id, bodies] of received) {
    const isTest = id.startsWith('evt_test_')
    const different = isTest ? bodies : new Set([...bodies, ...(known.get(id) ?? [])])
    const texts = [...different].join(' ')
    if (!feed.has(id) && !isTest) return `got event ${id}, which its feed does not have: ${texts}`
    if (different.size > 1) return `event ${id} was delivered with different bodies: ${texts}`
    const { event } = JSON.parse(texts) as { event: string }
    if (topics !== undefined && !isFor(topics, event)) return `got ${event}, and asked for ${topics.join(', ')}`
  }
  return undefined
}

const isFor = (topics: readonly string[], topic: string): boolean =>
  topics.includes(topic) || (topics.includes('*') && !EXTENSION_TOPICS.includes(topic))
