import { endpoint, router } from '../trpc.ts'
import { listEntries } from './list-entries.ts'
import { auditLog, auditLogQuery } from './schemas.ts'

export const auditRouter = router({
  list: endpoint(
    'admin',
    {
      method: 'GET',
      path: '/audit-log',
      summary: 'Read the audit log',
      description:
        'Every call that was made to change something, newest first: who made it, what was asked for, when and from which address. Kept for a year. An entry is stored before the call is carried out, and is there even when the server dies meanwhile. Refused input is not in it.',
    },
    { extension: true, readsReplica: true },
  )
    .input(auditLogQuery)
    .output(auditLog)
    .query(({ ctx, input }) => listEntries(ctx, input)),
})
