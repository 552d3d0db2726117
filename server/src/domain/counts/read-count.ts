import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { countJson, LINES } from './count-json.ts'
import type { Count } from './schemas.ts'

/** Counts with more lines are read on a `slow` connection: on the shared ones they would hold up other requests. */
const FEW_LINES = 100

// A count has at least one line.
const selectShort = statement<[tenantId: number, countId: number], { count: Count | null }>({
  name: 'get_count',
  connection: 'read',
  sql: `select case when r.lines_total <= ${FEW_LINES} then ${countJson(LINES)} end as count
   from stock_counts r where r.tenant_id = $1 and r.id = $2`,
})

const selectLong = statement<[tenantId: number, countId: number], { count: Count }>({
  name: 'get_long_count',
  connection: 'slow',
  notNull: ['count'],
  sql: `select ${countJson(LINES)} as count from stock_counts r where r.tenant_id = $1 and r.id = $2`,
})

/** A count with its lines. Throws `not_found`. */
export async function readCount(db: Queryable, tenantId: number, countId: number): Promise<Count> {
  const found = await db.runOne(selectShort, [tenantId, countId])
  if (found === undefined) throw countNotFound()
  return found.count ?? ((await db.runOne(selectLong, [tenantId, countId])) as { count: Count }).count
}

/** The error for a count that the tenant does not have. */
export const countNotFound = (): ServiceError => new ServiceError('not_found', 'Count not found')
