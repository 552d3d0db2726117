import { statement } from '../../database/statements/statement.ts'
import { LATEST_NUMBER, NEXT_TRANSACTION, SERVER } from './feed-horizon.ts'
import { OF_TOPIC } from './feed-statements.ts'

/** Events read at most to find out what changed. */
export const EVENTS_PER_PULSE = 5_000

/** The events of one record type, such as `order`, among those that a pulse looked at. */
export interface RecordPulse {
  record: string
  last: string
  /** Events after the first and after the second given id. */
  after_first: number
  after_second: number
}

interface PulseRow {
  server: string
  /** The last event number taken, the next transaction number, and the oldest transaction in progress. */
  latest: number
  next: number
  oldest: number
  /** The end of the write-ahead log. */
  position: number
  assignments: number
  looked_at: number
  records: RecordPulse[] | null
}

/** What the pulse of a tenant needs, in one snapshot. The events of a day are in one or two partitions. */
export const readPulse = statement<[tenantId: number, first: string, second: string], PulseRow>({
  name: 'read_pulse',
  connection: 'read',
  sql: `with recent as materialized (
     select id, split_part(topic, '/', 1) as record from events
     where tenant_id = $1 and id > $2 and created_at > now() - interval '1 day' limit ${EVENTS_PER_PULSE}
   )
   select ${SERVER} as server, ${LATEST_NUMBER} as latest, ${NEXT_TRANSACTION} as next,
     pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest, (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint as position,
     coalesce((select count from flow_assignments where tenant_id = $1), 0) as assignments, (select count(*) from recent) as looked_at, (
       select json_agg(r) from (
         select record, max(id) as last, count(*) as after_first, count(*) filter (where id > $3) as after_second from recent group by record
       ) r
     ) as records
   from event_sequence`,
})

/** The last event of each topic. Reads one entry of each partition's index for it. */
export const findLastEvents = statement<[tenantId: number, topics: string[]], { record: string; id: string }>({
  name: 'find_last_events',
  connection: 'slow',
  sql: `select split_part(t.name, '/', 1) as record, e.id from unnest($2::text[]) t (name) cross join lateral (
     select id from events where tenant_id = $1 and ${OF_TOPIC} > t.name || ' ' and ${OF_TOPIC} < t.name || ' evt_g'
     order by ${OF_TOPIC} desc limit 1
   ) e`,
})

/** The event of the last day that has so many later ones. No row where there are fewer. */
export const findRecentEvent = statement<[tenantId: number, later: number], { id: string }>({
  name: 'find_recent_event',
  connection: 'slow',
  sql: `select id from events where tenant_id = $1 and created_at > now() - interval '1 day' order by id desc offset $2::bigint limit 1`,
})
