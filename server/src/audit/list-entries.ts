import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import type { auditLog, auditLogQuery } from './schemas.ts'

type Entry = z.infer<typeof auditLog>['entries'][number]

const selectEntries = statement<
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
  ],
  Entry
>(
  'list_audit_entries',
  `select id, at, key_id, key_name, address, request_id, operation, input, error from audit_log
   where tenant_id = $1 and at >= coalesce($4::timestamptz, '-infinity')
     and at <= coalesce($2::timestamptz, 'infinity') and ($2 is null or (at, id) < ($2, $3::uuid)) and at < coalesce($5::timestamptz, 'infinity')
     and ($6::bigint is null or key_id = $6) and ($7::text is null or operation = $7) and ($8::text is null or request_id = $8)
   order by at desc, id desc limit $9`,
)

/** The tenant's audit log, newest first. */
export async function listEntries(
  { db, caller }: RequestContext,
  query: z.infer<typeof auditLogQuery>,
): Promise<z.infer<typeof auditLog>> {
  // A rare filter reads many entries.
  const rows = await db.runApart(selectEntries, [
    caller.tenantId,
    query.after?.at,
    query.after?.id,
    query.since,
    query.until,
    query.key_id,
    query.operation,
    query.request_id,
    query.limit + 1,
  ])
  const entries = rows.slice(0, query.limit)
  return { entries, next_cursor: rows.length > query.limit ? cursorOf(entries.at(-1)) : null }
}

function cursorOf(entry: Entry | undefined): string | null {
  return entry === undefined ? null : `${Date.parse(entry.at)}-${entry.id}`
}
