import type { Attempt } from '../database/schema.ts'
import { statement } from '../database/statements/statement.ts'
import { attemptCount } from './attempts.ts'
import { begin, commit, SYNCHRONOUS_COMMIT_OFF, type EngineConnection } from './connection.ts'
import { OWNERSHIP } from './keep-lanes.ts'
import { type StoredTarget, TARGET_COLUMNS } from './target.ts'

/** A lane that a claim has locked. */
export interface LockedLane extends StoredTarget {
  tenantId: number
  subscriptionId: number
  cap: number
  /** Whether the subscription is active. */
  active: boolean
}

/** A lane and how much to claim from it. */
export interface LaneRoom extends LockedLane {
  /** Number of deliveries to claim. 0: wait until some in flight are done. For an inactive subscription: the number to skip. */
  room: number
  /** The search starts at this due time. */
  dueSince: string
}

/** A delivery that this process may send until the lease ends. */
export interface Claimed {
  tenantId: number
  subscriptionId: number
  eventId: string
  /** With microseconds, as in the database: it is part of the key. */
  eventCreatedAt: string
  topic: string
  body: string
  trigger: Attempt['trigger']
  attemptNumber: number
  /** Scheduled attempts made so far. */
  tries: number
  /** Whether the subscription is active. A manual attempt is made in either case. */
  active: boolean
  dueAt: string
  lease: string
}

export interface Claim {
  owner: string
  now: Date
  lease: Date
  /** The tenants to claim from, each for an equal share. */
  tenants: readonly number[]
  /** Chooses among the lanes with due deliveries. A lane that is not chosen is offered again. */
  choose: (lanes: LockedLane[]) => LaneRoom[]
}

/** Makes the next statement read the first entries in index order. A plan made on a small table sorted all pending deliveries. */
const keepIndexOrder = statement<[], unknown>({
  name: 'keep_index_order',
  connection: 'write',
  sql: `select set_config('enable_sort', 'off', true), ${SYNCHRONOUS_COMMIT_OFF}`,
})
/** SQL for whether this process may claim from a lane `l`. */
const IS_FREE = `l.due_at <= $1 and (l.owner is null or l.owner = $2 or l.owner_until <= clock_timestamp())`

/** Due lanes that a claim looks at per tenant, longest due first. Lanes that were claimed from come later. */
const LANES_SEEN = 1_000

const lockLanes = statement<[now: Date, owner: string, tenants: readonly number[], lanes: number], LockedLane>({
  name: 'lock_lanes',
  connection: 'write',
  sql: `select lane.*
   from unnest($3::bigint[]) as tenant (id) cross join lateral (
     select l.tenant_id as "tenantId", l.subscription_id as "subscriptionId", l.cap, s.active, ${TARGET_COLUMNS}
     from (
       select l.tenant_id, l.subscription_id from webhook_lanes l
       where l.tenant_id = tenant.id and ${IS_FREE} order by l.due_at limit ${LANES_SEEN}
     ) due
     join webhook_lanes l on l.tenant_id = due.tenant_id and l.subscription_id = due.subscription_id
     join webhook_subscriptions s on s.tenant_id = l.tenant_id and s.id = l.subscription_id
     -- Checked again on the current version of the row, after locking it.
     where ${IS_FREE}
     order by l.claimed_at limit $4
     for no key update of l skip locked
   ) lane`,
})

/** SQL for the time from which a delivery `d` in flight may be sent again. */
const LEASE_END = 'coalesce(d.lease_until, d.next_attempt_at)'

// The rows found are locked, so they are updated by ctid, which every plan looks up directly.
// In the lane of an inactive subscription, all pending deliveries are skipped except manual retries.
// A lane claimed up to its room is due again as soon as one of its requests is done. Only for the other lanes is the next due time read:
// that read may pass many dead index entries of finished deliveries.
const takeDeliveries = statement<
  [tenants: number[], subscriptions: number[], rooms: number[], now: Date, lease: Date, owner: string, dueSince: string[]],
  Claimed
>({
  name: 'take_deliveries',
  connection: 'write',
  // The statement itself has set it.
  notNull: ['lease'],
  sql: `with lane as materialized (
     select l.tenant_id, l.subscription_id, l.due_since, s.active, l.room
     from unnest($1::bigint[], $2::bigint[], $3::int[], $7::timestamptz[]) as l (tenant_id, subscription_id, room, due_since)
     join webhook_subscriptions s on s.tenant_id = l.tenant_id and s.id = l.subscription_id
   ), due as materialized (
     select d.* from lane cross join lateral (
       select d.ctid as row, d.tenant_id, d.subscription_id, lane.active or d.trigger = 'manual' as wanted
       from waiting_deliveries d
       where d.tenant_id = lane.tenant_id and d.subscription_id = lane.subscription_id
         and d.next_attempt_at between lane.due_since and case when lane.active then $4::timestamptz else 'infinity' end
         and (d.state = 'pending' or ${LEASE_END} <= $4)
       order by d.next_attempt_at, d.event_id
       limit lane.room
       for no key update skip locked
     ) d
   ), taken as (
     update waiting_deliveries set state = 'in_flight', lease_until = $5::timestamptz
     where ctid = any (array(select row from due where wanted))
     returning *
   ), unwanted as (
     delete from waiting_deliveries where ctid = any (array(select row from due where not wanted)) returning *
   ), skipped as (
     insert into finished_deliveries
       (tenant_id, subscription_id, event_id, event_created_at, topic, state, created_at, completed_at, attempts)
     select tenant_id, subscription_id, event_id, event_created_at, topic, 'skipped', created_at, $4, attempts from unwanted
     on conflict do nothing
   ), lane_count as (
     select lane.tenant_id, lane.subscription_id, lane.active, lane.room, lane.due_since, count(due.row) as taken,
       coalesce(bool_or(due.wanted), false) as wanted
     from lane left join due on due.tenant_id = lane.tenant_id and due.subscription_id = lane.subscription_id
     group by lane.tenant_id, lane.subscription_id, lane.active, lane.room, lane.due_since
   ), claimed_lane as (
     update webhook_lanes l
     set claimed_at = $4,
       owner = case when c.wanted then $6 else l.owner end,
       owner_until = case when c.wanted then clock_timestamp() + ${OWNERSHIP} else l.owner_until end,
       due_at = case
         when c.taken = c.room and not c.active then $4
         when c.taken = c.room then $5
         -- Deliveries that became due before due_since were not searched.
         when c.due_since > '-infinity' then $4
         else least(
           case when c.wanted then $5 end,
           (select d.next_attempt_at from waiting_deliveries d
            where d.tenant_id = l.tenant_id and d.subscription_id = l.subscription_id and d.next_attempt_at > $4
            order by d.next_attempt_at limit 1),
           (select min(${LEASE_END}) from waiting_deliveries d
            where d.tenant_id = l.tenant_id and d.subscription_id = l.subscription_id and d.next_attempt_at <= $4
              and d.state = 'in_flight' and ${LEASE_END} > $4)
         )
       end
     from lane_count c where l.tenant_id = c.tenant_id and l.subscription_id = c.subscription_id
   )
   select t.tenant_id as "tenantId", t.subscription_id as "subscriptionId", t.event_id as "eventId",
     t.event_created_at::text as "eventCreatedAt", t.topic, t.trigger, t.tries, t.next_attempt_at as "dueAt", t.lease_until as lease,
     ${attemptCount('t.attempts')} + 1 as "attemptNumber", e.body, lane.active
   from taken t
   join lane on lane.tenant_id = t.tenant_id and lane.subscription_id = t.subscription_id
   join events e on e.tenant_id = t.tenant_id and e.id = t.event_id and e.created_at = t.event_created_at
   order by t.event_id`,
})

/** Lanes in one claim. */
const MAX_LANES = 64

/** The result of a claim. */
export interface ClaimedLanes {
  lanes: LaneRoom[]
  claimed: Claimed[]
  /** A tenant may have more lanes with due deliveries. */
  more: boolean
}

/**
 * Claims due deliveries of some tenants, from the least recently claimed lanes of each. Two statements, not one: the second sees every
 * delivery queued before the lanes were locked, so a lane never goes idle while a delivery is pending.
 */
export async function claimDeliveries(connection: EngineConnection, claim: Claim): Promise<ClaimedLanes> {
  const { owner, now, tenants, choose } = claim
  const lanesEach = Math.ceil(MAX_LANES / tenants.length)
  await connection.run(begin, [])
  const lanes = choose(await connection.run(lockLanes, [now, owner, tenants, lanesEach]))
  const claimed = lanes.length === 0 ? [] : await take(connection, lanes, claim)
  await connection.run(commit, [])
  const ofTenants = [...Map.groupBy(lanes, ({ tenantId }) => tenantId).values()]
  // While a tenant is being moved away, its lanes stay due, and nothing of them can be claimed. The next turn need not come at once.
  const isMoving = claimed.length === 0 && lanes.every(({ active, room }) => active && room > 0)
  const more = !isMoving && ofTenants.some((ofTenant) => ofTenant.length === lanesEach)
  return { lanes, claimed, more }
}

async function take(connection: EngineConnection, lanes: readonly LaneRoom[], { owner, now, lease }: Claim): Promise<Claimed[]> {
  await connection.run(keepIndexOrder, [])
  return await connection.run(takeDeliveries, [
    lanes.map((lane) => lane.tenantId),
    lanes.map((lane) => lane.subscriptionId),
    lanes.map((lane) => lane.room),
    now,
    lease,
    owner,
    lanes.map((lane) => lane.dueSince),
  ])
}
