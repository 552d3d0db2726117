import { sql } from 'kysely'
import type { Database } from '@fulfillment/server/database/database.ts'
import { Finding } from '../client.ts'
import type { Installation } from '../installation.ts'
import type { Data } from '../operation.ts'
import type { Receivers } from '../receivers.ts'
import { EXTENSION_TOPICS, type World } from '../world.ts'

const WAITS_MS = 90_000

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

/** Each event at least once, always with the same body, signed, and none of another tenant or topic. */
export function compareDeliveries({ receivers }: Installation, world: World): void {
  const all: Subscriber = { name: world.subscriber, mustHave: world.feed.ids, topics: undefined, secrets: [world.secret] }
  const known = receivers.received(world.subscriber)
  compareSubscriber(receivers, world, all, known)
  for (const { state } of world.clients)
    for (const { url, topics, secrets, mustHave } of state.everyWebhook)
      compareSubscriber(receivers, world, { name: receivers.nameOf(url), mustHave, topics: [...topics], secrets }, known)
}

interface Subscriber {
  name: string
  mustHave: ReadonlySet<string>
  /** Undefined for all. */
  topics: readonly string[] | undefined
  secrets: readonly string[]
}

function compareSubscriber(
  receivers: Receivers,
  world: World,
  { name, mustHave, topics, secrets }: Subscriber,
  known: ReadonlyMap<string, Set<string>>,
): void {
  const received = receivers.received(name)
  const finding = (what: string): Finding => new Finding(`${world.name}, subscriber ${name}: ${what}`)
  for (const id of mustHave) if (!received.has(id)) throw finding(`event ${id} was not delivered`)
  for (const [id, bodies] of received) {
    const isTest = id.startsWith('evt_test_')
    if (!world.feed.ids.has(id) && !isTest)
      throw finding(`got event ${id}, which its feed does not have: ${[...bodies].join(' ')}`)
    const different = isTest ? bodies : new Set([...bodies, ...(known.get(id) ?? [])])
    if (different.size > 1) throw finding(`event ${id} was delivered with different bodies: ${[...different].join(' ')}`)
    const { event } = JSON.parse([...bodies][0] ?? '{}') as { event: string }
    if (topics !== undefined && !isFor(topics, event)) throw finding(`got ${event}, and asked for ${topics.join(', ')}`)
  }
  const [unsigned] = receivers.unsigned(name, secrets)
  if (unsigned !== undefined) throw finding(`event ${unsigned} was not signed with its secret`)
}

const isFor = (topics: readonly string[], topic: string): boolean =>
  topics.includes(topic) || (topics.includes('*') && !EXTENSION_TOPICS.includes(topic))
