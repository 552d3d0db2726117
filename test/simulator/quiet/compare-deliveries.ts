import { sql } from 'kysely'
import type { Database } from '@fulfillment/server/database/database.ts'
import { Finding } from '../client.ts'
import type { Installation } from '../installation.ts'
import type { World } from '../world.ts'

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

/** Each event at least once, always with the same body, and none of another tenant. */
export function compareDeliveries({ receivers }: Installation, world: World): void {
  const received = receivers.received(world.subscriber)
  for (const id of world.feed.ids) if (!received.has(id)) throw new Finding(`${world.name}: event ${id} was not delivered`)
  for (const [id, bodies] of received) {
    if (!world.feed.ids.has(id) && !id.startsWith('evt_test_'))
      throw new Finding(`${world.name}: got event ${id}, which its feed does not have: ${[...bodies].join(' ')}`)
    if (bodies.size > 1)
      throw new Finding(`${world.name}: event ${id} was delivered with different bodies: ${[...bodies].join(' ')}`)
  }
}
