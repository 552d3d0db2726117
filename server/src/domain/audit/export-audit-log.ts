import { exportedList } from '../../procedures/exported-list.ts'
import { type LogPosition, readEntries } from './read-entries.ts'
import { auditEntry, listAuditLogInput } from './schemas.ts'

const BATCH = 1_000

/** The audit log, newest first. */
export const exportedAuditLog = exportedList({
  name: 'audit',
  scope: 'admin',
  query: listAuditLogInput,
  columns: Object.keys(auditEntry.shape),
  async *read(db, tenantId, filters) {
    let after: LogPosition | undefined
    do {
      const { entries, readTo } = await readEntries(db, tenantId, filters, after, BATCH)
      yield entries
      after = readTo
    } while (after !== undefined)
  },
})
