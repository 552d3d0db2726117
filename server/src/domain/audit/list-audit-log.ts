import type { z } from 'zod'
import { endpoint } from '../../procedures/endpoint.ts'
import { type LogPosition, readEntries } from './read-entries.ts'
import { listAuditLogOutput, listAuditLogInput } from './schemas.ts'

type Entry = z.infer<typeof listAuditLogOutput>['entries'][number]

/** How long a page is looked for. */
const LOOKING_MS = 1_000

/** The tenant's audit log, newest first. */
export const listAuditLog = endpoint({
  name: 'auditLog.list',
  scope: 'admin',
  method: 'GET',
  path: '/audit-log',
  summary: 'Read the audit log',
  description:
    'Every call to change data, newest first, with its API key, input, time and client address. Entries are kept for a year. An entry is stored before its call runs, so it exists even if the server fails during the call. Calls with invalid input are not logged. A page can have fewer entries than `limit`, or none, and still a `next_cursor`: continue until it is null.',
  isAddition: true,
  readsReplica: true,
  input: listAuditLogInput,
  output: listAuditLogOutput,
  run: async ({ db, caller }, query) => {
    const endMs = performance.now() + LOOKING_MS
    const found: Entry[] = []
    for (let after: LogPosition | undefined = query.after; ;) {
      // One more shows whether there is another page.
      const { entries, readTo } = await readEntries(db, caller.tenantId, query, after, query.limit + 1 - found.length)
      found.push(...entries)
      if (found.length > query.limit) return pageOf(found.slice(0, query.limit), positionOf(found[query.limit - 1]))
      if (readTo === undefined || performance.now() > endMs) return pageOf(found, readTo)
      after = readTo
    }
  },
})

const positionOf = (entry: Entry | undefined): LogPosition | undefined => entry && { at: new Date(entry.at), id: entry.id }

function pageOf(entries: Entry[], readTo: LogPosition | undefined) {
  return { entries, next_cursor: readTo === undefined ? null : `${readTo.at.getTime()}-${readTo.id}` }
}
