import { exportedList } from '../../procedures/exported-list.ts'
import { selectEntries } from './list-audit-log.ts'
import { auditEntry, listAuditLogInput } from './schemas.ts'

const BATCH = 1_000

/** The audit log, newest first. */
export const exportedAuditLog = exportedList({
  name: 'audit',
  scope: 'admin',
  query: listAuditLogInput,
  columns: Object.keys(auditEntry.shape),
  async *read(db, tenantId, { since, until, key_id, operation, request_id, surface, operator_email }) {
    let after: { at: Date; id: string } | undefined
    for (;;) {
      const rows = await db.run(selectEntries, [
        tenantId,
        after?.at,
        after?.id,
        since,
        until,
        key_id,
        operation,
        request_id,
        BATCH,
        surface,
        operator_email,
      ])
      yield rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < BATCH) return
      after = { at: new Date(last.at), id: last.id }
    }
  },
})
