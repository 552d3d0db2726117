import { slice } from '../../procedures/slice.ts'
import { exportedAuditLog } from './export-audit-log.ts'
import { listAuditLog } from './list-audit-log.ts'
import { removeOldCalls } from './named-calls.ts'

import { dailyPartitions } from '../../database/partitions/daily-partitions.ts'
import { AUDIT_DAYS_KEPT } from '../../database/retention.ts'
import { HOUR_MS } from '../../runtime/periodic.ts'

/** The audit log. */
export const audit = slice({
  tags: [{ name: 'audit-log', description: 'Who changed what, when and from where.' }],
  endpoints: [listAuditLog],
  partitions: [dailyPartitions({ table: 'audit_log', column: 'at', daysKept: AUDIT_DAYS_KEPT })],
  tasks: [{ everyMs: HOUR_MS, run: removeOldCalls }],
  exports: [exportedAuditLog],
})
