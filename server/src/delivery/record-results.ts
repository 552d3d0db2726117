import type { Attempt } from '../database/schema.ts'
import { statement } from '../database/statements/statement.ts'
import { withAttempt } from './attempts.ts'
import type { Claimed } from './claim-deliveries.ts'
import type { EngineConnection } from './connection.ts'
import { countAttempts } from './delivery-hours.ts'
import { isOfItsWork, isTimeout } from './statement-failures.ts'
import { isTestEvent } from './test-events.ts'

/** The result of a claimed delivery: the outcome of an attempt, or handed back without one. */
export interface Result {
  delivery: Claimed
  state: 'pending' | 'succeeded' | 'failed'
  nextAttemptAt?: Date
  attempt?: Attempt
  /** The subscription gets no event before this time. */
  heldUntil?: Date
  /** The receiver wants no more events. */
  gone?: boolean
}

/** Status of a lane after the results. */
export interface LaneStatus {
  tenantId: number
  subscriptionId: number
  cap: number
  /** It has nothing in flight in this process. */
  idle: boolean
  /** The last claim left due deliveries. */
  more: boolean
}

/** A dead receiver with a large backlog gets one request a second, so that its failures do not slow down others. */
const PAUSE_PER_FAILURE_MS = 5
const LONGEST_PAUSE_MS = 1_000

/** Counting further would change nothing. */
const MAX_FAILURES = 1_000_000

const DISABLED_AFTER_DAYS = 5
const DISABLED_AFTER_FAILURES = 20

// A result whose lease was lost changes nothing: another worker has claimed the delivery since. Deliveries are looked up one by one and
// updated by ctid: a plan that scanned all pending deliveries, made on a small table, took 70 times as long. A failed test event does not
// count against its subscription.
const record = statement<[results: string, lanes: string, now: Date, owner: string], unknown>({
  name: 'record_delivery_results',
  connection: 'write',
  sql: `with result as (
     select * from jsonb_to_recordset($1::jsonb) as r (tenant_id bigint, subscription_id bigint, event_created_at timestamptz, event_id text,
       lease timestamptz, state text, next_attempt_at timestamptz, attempt jsonb, held_until timestamptz, gone boolean)
   ), found as materialized (
     select r.*, d.row from result r cross join lateral (
       select d.ctid as row from waiting_deliveries d
       where d.tenant_id = r.tenant_id and d.subscription_id = r.subscription_id and d.event_created_at = r.event_created_at
         and d.event_id = r.event_id and d.state = 'in_flight' and d.lease_until = r.lease
       limit 1
       for no key update
     ) d
   ), ended as (
     delete from waiting_deliveries d using found r where r.state <> 'pending' and d.ctid = r.row
     returning d.*, r.state as end_state, r.attempt, r.held_until as asked_to_wait_until, r.gone
   ), finished as (
     insert into finished_deliveries
       (tenant_id, subscription_id, event_id, event_created_at, topic, state, created_at, completed_at, attempts)
     select tenant_id, subscription_id, event_id, event_created_at, topic, end_state, created_at, $3, ${withAttempt('attempts', 'attempt')} from ended
     on conflict (tenant_id, subscription_id, event_created_at, event_id)
       do update set state = excluded.state, completed_at = excluded.completed_at, attempts = excluded.attempts
   ), continued as (
     update waiting_deliveries d
     set state = 'pending', next_attempt_at = r.next_attempt_at, lease_until = null, tries = d.tries + (r.attempt is not null)::int,
       trigger = case when r.attempt is null then d.trigger else 'schedule' end,
       attempts = case when r.attempt is null then d.attempts else ${withAttempt('d.attempts', 'r.attempt')} end
     from found r where r.state = 'pending' and d.ctid = r.row
     returning d.tenant_id, d.subscription_id, d.next_attempt_at, r.attempt is not null as attempted, r.held_until as asked_to_wait_until
   ), written as (
     select tenant_id, subscription_id, end_state = 'succeeded' as succeeded, end_state = 'failed' and not ${isTestEvent('event_id')} as failed,
       null::timestamptz as next_attempt_at, asked_to_wait_until, coalesce(gone, false) as gone
     from ended
     union all
     select tenant_id, subscription_id, false, attempted, next_attempt_at, asked_to_wait_until, false from continued
   ), outcome as (
     select tenant_id, subscription_id, bool_or(succeeded) as succeeded, count(*) filter (where failed) as failures,
       bool_or(gone) as gone, max(asked_to_wait_until) as asked_to_wait_until, min(next_attempt_at) as next_attempt_at
     from written group by tenant_id, subscription_id
   ), locked as materialized (
     select l.tenant_id, l.subscription_id, l.owner, l.due_at, l.held_until, l.failing_since, l.failed_attempts
     from outcome o join webhook_lanes l on l.tenant_id = o.tenant_id and l.subscription_id = o.subscription_id
     order by l.tenant_id, l.subscription_id
     for no key update of l
   ), lane as materialized (
     select l.*, o.failures, o.gone, o.next_attempt_at, o.asked_to_wait_until, s.cap, s.more, s.idle and l.owner = $4 as released,
       case when o.succeeded then 0 else least(l.failed_attempts + o.failures, ${MAX_FAILURES}) end as failed_in_a_row,
       case when o.succeeded then null when o.failures > 0 then coalesce(l.failing_since, $3) else l.failing_since end as now_failing_since
     from locked l
     join outcome o on o.tenant_id = l.tenant_id and o.subscription_id = l.subscription_id
     join jsonb_to_recordset($2::jsonb) as s ("tenantId" bigint, "subscriptionId" bigint, cap smallint, idle boolean, more boolean)
       on s."tenantId" = l.tenant_id and s."subscriptionId" = l.subscription_id
   ), disabled as (
     update webhook_subscriptions s
     set active = false, disabled_reason = case when lane.gone then 'gone' else 'failing' end, disabled_at = $3, updated_at = $3
     from lane
     where s.tenant_id = lane.tenant_id and s.id = lane.subscription_id and s.active and (lane.gone or
       (lane.failures > 0 and lane.failed_in_a_row >= ${DISABLED_AFTER_FAILURES} and lane.now_failing_since <= $3 - interval '${DISABLED_AFTER_DAYS} days'))
     returning s.tenant_id, s.id
   ), next as (
     select lane.*, d.id is not null as is_disabled,
       greatest(lane.held_until, lane.asked_to_wait_until, case when lane.failures > 0 then
         $3 + least(lane.failed_in_a_row * ${PAUSE_PER_FAILURE_MS}, ${LONGEST_PAUSE_MS}) * interval '1 millisecond' end) as hold
     from lane left join disabled d on d.tenant_id = lane.tenant_id and d.id = lane.subscription_id
   ), ${countAttempts('(select * from found where (select count(*) from locked) >= 0) f', '$3::timestamptz')}
   update webhook_lanes l
   set cap = n.cap, failed_attempts = n.failed_in_a_row, failing_since = n.now_failing_since,
     owner = case when n.released then null else l.owner end,
     held_until = case when n.is_disabled then null else n.hold end,
     due_at = case when n.is_disabled then $3
       else greatest(n.hold, least(n.due_at, n.next_attempt_at, case when n.more then $3 end)) end
   from next n where l.tenant_id = n.tenant_id and l.subscription_id = n.subscription_id`,
})

/** Results written by one statement. */
const BATCH = 1_000

/** What results are recorded with. */
interface Recording {
  /** The process that owns the lanes. */
  owner: string
  now: Date
  lanes: readonly LaneStatus[]
  /** Called for a result that cannot be written. Its delivery is sent again when its lease ends. */
  onLost: (result: Result, error: Error) => void
}

/** Writes the results of deliveries and updates their subscriptions. When one result cannot be written, the others still are. */
export async function recordResults(
  connection: EngineConnection,
  results: readonly Result[],
  recording: Recording,
): Promise<void> {
  const halves = async (): Promise<void> => {
    const middle = Math.ceil(results.length / 2)
    for (const half of [results.slice(0, middle), results.slice(middle)]) await recordResults(connection, half, recording)
  }
  if (results.length > BATCH) return await halves()
  const { owner, now, lanes, onLost } = recording
  try {
    await connection.run(record, [JSON.stringify(results.map(rowOf)), JSON.stringify(lanes), now, owner])
  } catch (error) {
    if (!isOfItsWork(error)) throw error
    const [result] = results
    if (results.length > 1) return await halves()
    // A slow database is not caused by the result.
    if (result === undefined || isTimeout(error)) throw error
    onLost(result, error)
  }
}

function rowOf({ delivery, state, nextAttemptAt, attempt, heldUntil, gone }: Result): object {
  return {
    tenant_id: delivery.tenantId,
    subscription_id: delivery.subscriptionId,
    event_created_at: delivery.eventCreatedAt,
    event_id: delivery.eventId,
    lease: delivery.lease,
    state,
    next_attempt_at: nextAttemptAt,
    attempt,
    held_until: heldUntil,
    gone,
  }
}
