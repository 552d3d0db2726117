import { within } from '../runtime/within.ts'
import type { Queryable } from './database.ts'
import { statement } from './statements/statement.ts'

/** A database that takes longer counts as out of reach. */
const PATIENCE_MS = 1_000

const selectStandby = statement<[], { is_standby: boolean }>({
  name: 'is_database_standby',
  connection: 'read',
  sql: 'select pg_is_in_recovery() as is_standby',
})

/** Whether the database is a standby, which takes no writes, such as during a failover. Throws when it cannot be reached. */
export async function isStandby(db: Queryable): Promise<boolean> {
  const row = await db.runOne(selectStandby, [])
  return row?.is_standby !== false
}

/** What a database does at the moment. `lost`: it cannot be reached, or does not answer within a second. */
export async function stateOf(db: Queryable): Promise<'primary' | 'standby' | 'lost'> {
  const state = isStandby(db).then(
    (standby) => (standby ? ('standby' as const) : ('primary' as const)),
    () => 'lost' as const,
  )
  return await within(PATIENCE_MS, state, () => 'lost' as const)
}
