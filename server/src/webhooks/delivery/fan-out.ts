import { statement } from '../../database/statement.ts'
import { WAITS_FOR_NO_DISK, type EngineConnection } from './connection.ts'

/** Kept small enough that results and claims wait only some milliseconds for it. */
const BATCH = 500

// The lanes are locked in the order of their keys, as by the statement that records results, so that the two never wait for each other.
const fanOut = statement<[limit: number, now: Date, ...since: Place], { taken: number; tenant_id: number; event_id: string }>(
  'fan_out_events',
  `with next as (
     select tenant_id, event_id from event_outbox where (tenant_id, event_id) >= ($3::bigint, $4::text)
     order by tenant_id, event_id limit $1 for update skip locked
   ), taken as (
     delete from event_outbox o using next where o.tenant_id = next.tenant_id and o.event_id = next.event_id returning o.*
   ), delivery as (
     select t.*, s.id as subscription_id, s.active
     from taken t
     join webhook_subscriptions s on s.tenant_id = t.tenant_id and s.events && array['*', t.topic] and s.created_at <= t.event_created_at
   ), skipped as (
     insert into finished_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, state, created_at, completed_at)
     select tenant_id, subscription_id, event_id, event_created_at, topic, 'skipped', $2::timestamptz, $2 from delivery where not active
     on conflict do nothing
   ), queued as (
     insert into waiting_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, next_attempt_at, created_at)
     select tenant_id, subscription_id, event_id, event_created_at, topic, $2, $2 from delivery where active
     on conflict do nothing
     returning tenant_id, subscription_id
   ), lane as (
     select l.tenant_id, l.subscription_id
     from (select distinct tenant_id, subscription_id from queued) d
     join webhook_lanes l on l.tenant_id = d.tenant_id and l.subscription_id = d.subscription_id
     order by l.tenant_id, l.subscription_id
     for no key update of l
   ), woken as (
     update webhook_lanes l set due_at = greatest(l.held_until, least(l.due_at, $2))
     from lane where l.tenant_id = lane.tenant_id and l.subscription_id = lane.subscription_id
   )
   select count(*) over () as taken, tenant_id, event_id, ${WAITS_FOR_NO_DISK} from taken order by tenant_id desc, event_id desc limit 1`,
)

/** The keys of the outbox begin here. */
const START: Place = [0, '']

/** How long an event that was committed late can wait, while there are more than can be fanned out. */
const FROM_START_EVERY_MS = 1_000

type Place = [tenantId: number, eventId: string]

/** Turns events that subscriptions wait for into deliveries. */
export class FanOut {
  readonly #connection: EngineConnection
  /** There may be more, from there on. */
  #next = START
  #fromStartAt = -Infinity
  /** The last batch was full. */
  hasMore = false

  constructor(connection: EngineConnection) {
    this.#connection = connection
  }

  /**
   * Takes a batch, and returns how many events it took. After a full one it goes on where that ended: before, there are only index
   * entries of events that are done, until they are vacuumed.
   */
  async takeBatch(now: Date): Promise<number> {
    const fromStart = !this.hasMore || performance.now() - this.#fromStartAt >= FROM_START_EVERY_MS
    if (fromStart) this.#fromStartAt = performance.now()
    const [last] = await this.#connection.run(fanOut, [BATCH, now, ...(fromStart ? START : this.#next)])
    this.hasMore = last?.taken === BATCH
    if (last !== undefined) this.#next = [last.tenant_id, last.event_id]
    return last?.taken ?? 0
  }
}
