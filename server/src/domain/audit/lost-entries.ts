import type { Database } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { FailedCall } from './named-calls.ts'

/** A failed call whose entry was being sent when the connection was lost. */
export type LostCall = Omit<FailedCall, 'at'>

const findEntries = statement<[tenantIds: number[], ids: string[]], { id: string; at: string }>({
  name: 'find_lost_audit_entries',
  connection: 'slow',
  sql: `select a.id, a.at from unnest($1::bigint[], $2::uuid[]) l (tenant_id, id) cross join lateral (
     select id, at from audit_log where tenant_id = l.tenant_id and id = l.id and at > now() - interval '1 hour' limit 1
   ) a`,
})

/** The calls whose entries were written after all. Those of the others, like their changes, were rolled back. */
export async function findLostEntries(db: Pick<Database, 'run'>, lost: readonly LostCall[]): Promise<FailedCall[]> {
  if (lost.length === 0) return []
  const rows = await db.run(findEntries, [lost.map(({ call }) => call.caller.tenantId), lost.map(({ id }) => id)])
  const timeOf = new Map(rows.map(({ id, at }) => [id, at]))
  return lost.flatMap((call) => {
    const at = timeOf.get(call.id)
    return at === undefined ? [] : [{ ...call, at }]
  })
}
