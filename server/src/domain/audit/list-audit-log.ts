import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { listAuditLogOutput, listAuditLogInput } from './schemas.ts'

type Entry = z.infer<typeof listAuditLogOutput>['entries'][number]

/** Entries after a place in the log, newest first. */
export const selectEntries = statement<
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
  Entry
>({
  name: 'list_audit_entries',
  connection: 'slow',
  sql: `select id, at, key_id, key_name, address, request_id, operation, input, error, surface, session_id, operator_email from audit_log
   where tenant_id = $1 and at >= coalesce($4::timestamptz, '-infinity')
     and at <= coalesce($2::timestamptz, 'infinity') and ($2 is null or (at, id) < ($2, $3::uuid)) and at < coalesce($5::timestamptz, 'infinity')
     and ($6::bigint is null or key_id = $6) and ($7::text is null or operation = $7) and ($8::text is null or request_id = $8)
     and ($10::text is null or surface = $10) and ($11::text is null or operator_email = $11)
   order by at desc, id desc limit $9`,
})

/** The tenant's audit log, newest first. */
export const listAuditLog = endpoint({
  name: 'auditLog.list',
  scope: 'admin',
  method: 'GET',
  path: '/audit-log',
  summary: 'Read the audit log',
  description:
    'Every call to change data, newest first, with its API key, input, time and client address. Entries are kept for a year. An entry is stored before its call runs, so it exists even if the server fails during the call. Calls with invalid input are not logged.',
  isAddition: true,
  readsReplica: true,
  input: listAuditLogInput,
  output: listAuditLogOutput,
  run: async ({ db, caller }, query) => {
    // A filter that matches few entries reads many.
    const rows = await db.run(selectEntries, [
      caller.tenantId,
      query.after?.at,
      query.after?.id,
      query.since,
      query.until,
      query.key_id,
      query.operation,
      query.request_id,
      query.limit + 1,
      query.surface,
      query.operator_email,
    ])
    const entries = rows.slice(0, query.limit)
    return { entries, next_cursor: rows.length > query.limit ? cursorOf(entries.at(-1)) : null }
  },
})

function cursorOf(entry: Entry | undefined): string | null {
  return entry === undefined ? null : `${Date.parse(entry.at)}-${entry.id}`
}
