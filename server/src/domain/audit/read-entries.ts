import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { listAuditLogInput, listAuditLogOutput } from './schemas.ts'

type Entry = z.infer<typeof listAuditLogOutput>['entries'][number]

/** Which entries are asked for. */
export type AuditFilters = Pick<
  z.output<typeof listAuditLogInput>,
  'since' | 'until' | 'key_id' | 'operation' | 'request_id' | 'surface' | 'operator_email'
>

/** A place in the log, newest first. Times in the log have no microseconds. */
export interface LogPosition {
  at: Date
  id: string
}

/** What a look found. */
export interface Found {
  entries: Entry[]
  /** The last entry that was read, if there may be others after it. */
  readTo: LogPosition | undefined
}

/** Entries read by one statement, a look, to find those that match the filters. */
const LOOK = 10_000

/** A limit that the planner does not know: for a known one, it may sort all entries of the range. */
const LOOK_LIMIT = `(select ${LOOK})`

/** With a place, the index begins behind it: many entries can have the same millisecond. */
const LAST_ID = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

const COLUMNS = 'id, at, key_id, key_name, address, request_id, operation, input, error, surface, session_id, operator_email'

type Row = Entry & { matches: boolean; is_last: boolean }

/** Its time depends on the entries of a look, and not on how many of the log match. The row of the last one may not match. */
const lookThrough = statement<
  [
    tenantId: number,
    beforeAt: Date | undefined,
    beforeId: string | undefined,
    since: Date | undefined,
    until: Date | undefined,
    keyId: number | undefined,
    operation: string | undefined,
    requestId: string | undefined,
    limit: number,
    surface: string | undefined,
    operatorEmail: string | undefined,
  ],
  Row
>({
  name: 'look_through_audit_log',
  connection: 'slow',
  sql: `select ${COLUMNS}, matches, number = ${LOOK} as is_last from (
     select ${COLUMNS}, row_number() over (order by at desc, id desc) as number,
       coalesce(($6::bigint is null or key_id = $6) and ($7::text is null or operation = $7) and ($8::text is null or request_id = $8)
       and ($10::text is null or surface = $10) and ($11::text is null or operator_email = $11), false) as matches
     from (
       select ${COLUMNS} from audit_log
       where tenant_id = $1 and at >= coalesce($4::timestamptz, '-infinity')
         and at <= coalesce($2::timestamptz, 'infinity') and (at, id) < (coalesce($2, 'infinity'), coalesce($3, ${LAST_ID}))
         and at < coalesce($5::timestamptz, 'infinity')
       order by at desc, id desc limit ${LOOK_LIMIT}
     ) e
   ) e
   where matches or number = ${LOOK} order by at desc, id desc limit $9`,
})

function entryOf({ matches: _matches, is_last: _isLast, ...entry }: Row): Entry {
  return entry
}

/** Reads entries after a place in the log, newest first: `limit` at most, and none beyond a look. */
export async function readEntries(
  db: Queryable,
  tenantId: number,
  filters: AuditFilters,
  after: LogPosition | undefined,
  limit: number,
): Promise<Found> {
  const { since, until, key_id, operation, request_id, surface, operator_email } = filters
  const rows = await db.run(lookThrough, [
    tenantId,
    after?.at,
    after?.id,
    since,
    until,
    key_id,
    operation,
    request_id,
    limit,
    surface,
    operator_email,
  ])
  const last = rows.at(-1)
  const isCut = last !== undefined && (last.is_last || rows.length === limit)
  return {
    entries: rows.filter(({ matches }) => matches).map(entryOf),
    readTo: isCut ? { at: new Date(last.at), id: last.id } : undefined,
  }
}
