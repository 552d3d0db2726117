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
        'Every call that was made to change data, newest first: by whom, with which input, when and from which address. Entries are kept for a year. An entry is stored before its call runs, so it exists even when the server fails meanwhile. Calls with invalid input are left out.',
    },
    { extension: true, readsReplica: true },
  )
    .input(auditLogQuery)
    .output(auditLog)
    .query(({ ctx, input }) => listEntries(ctx, input)),
})
