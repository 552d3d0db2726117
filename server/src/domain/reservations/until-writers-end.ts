import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'

const POLL_MS = 20
/** Longer than any statement may take. */
const PATIENCE_MS = 60_000
/** How often a long wait calls `isKept`. */
const KEEP_MS = 1_000

// A statement locks its tables before it takes its snapshot. So one that does not hold such a lock yet sees what is committed now. The copying of a tenant
// into this shard holds such locks for as long as it takes, and reads no settings.
const listWriters = statement<[], { writer: string }>({
  name: 'list_writers',
  connection: 'read',
  sql: `select distinct l.virtualtransaction as writer from pg_locks l
   where l.locktype = 'relation' and l.mode = 'RowExclusiveLock' and l.database = (select oid from pg_database where datname = current_database())
     and l.relation = any ('{orders, order_lines, stock_levels, warehouse_stock, locations, holds}'::regclass[])
     and not exists (select from pg_stat_activity a where a.pid = l.pid and a.backend_type like 'logical replication%')`,
  // Of a lock that is shown.
  notNull: ['writer'],
})

/**
 * Waits until all transactions have ended that may still write by the settings from before this call. Costs writers nothing. False when it
 * was aborted, or `isKept`, which a long wait calls, says so.
 */
export async function untilWritersEnd(db: Queryable, signal: AbortSignal, isKept: () => Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + PATIENCE_MS
  let keepAt = performance.now() + KEEP_MS
  let awaited = await writers(db)
  while (awaited.size > 0) {
    if (signal.aborted) return false
    if (performance.now() > keepAt) {
      if (!(await isKept())) return false
      keepAt = performance.now() + KEEP_MS
    }
    if (performance.now() > giveUpAt) throw new Error('A transaction that began before reserving was switched does not end')
    await delay(POLL_MS)
    const present = await writers(db)
    awaited = new Set([...awaited].filter((writer) => present.has(writer)))
  }
  return true
}

async function writers(db: Queryable): Promise<Set<string>> {
  return new Set((await db.run(listWriters, [])).map(({ writer }) => writer))
}
