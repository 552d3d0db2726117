import { sql } from 'kysely'
import type { Queryable } from '../database.ts'
import { awaitSystemLock } from '../locks.ts'
import { statement } from '../statements/statement.ts'
import { retry } from '../../runtime/retry.ts'
import { ROWS_A_STATEMENT, type DailyPartitions } from './daily-partitions.ts'
import { deletableBefore, saveDeletedBefore, today } from './deletion-progress.ts'

const DAYS_AHEAD = 7
const DAY_MS = 86_400_000

/** Attaching or dropping a partition briefly locks the table. Writers wait at most this long behind it; then it is tried again. */
const LOCK_TIMEOUT = '200ms'
const TRIES = 5
const PAUSE_MS = 600
const LOCK_NOT_AVAILABLE = '55P03'
/** The default partition has rows of the day of a new partition. They are deleted from there when they expire. */
export const ROWS_IN_DEFAULT_PARTITION = '23514'

/**
 * Creates the daily partitions of the next days, and drops those that are too old, one day at a time, by the database's clock. Call it
 * every hour. It may run in any number of processes: one at a time does the work. Changes that fail because tables are busy are made by the
 * next call. Until then, rows of a day without a partition go to the default partition. A table whose maintenance fails does not stop that
 * of the others; the error is thrown at the end.
 */
export async function maintainPartitions(db: Queryable, partitioned: readonly DailyPartitions[]): Promise<void> {
  // Before all deletions: one that fails every time, such as at its time limit, must not keep any table from getting its partitions.
  const failed = await createAll(db, partitioned)
  throwFirst([...failed, ...(await eachTable(partitioned, (parent) => deleteExpired(db, parent)))])
}

/** Creates the missing partitions of the next days, as at a start that lacks some. */
export async function createPartitions(db: Queryable, partitioned: readonly DailyPartitions[]): Promise<void> {
  throwFirst(await createAll(db, partitioned))
}

async function createAll(db: Queryable, partitioned: readonly DailyPartitions[]): Promise<Failure[]> {
  const firstDay = await today(db)
  const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) => addDays(firstDay, ahead))
  return await eachTable(partitioned, (parent) => createMissing(db, parent, days))
}

interface Failure {
  table: string
  error: unknown
}

async function eachTable(
  partitioned: readonly DailyPartitions[],
  work: (parent: DailyPartitions) => Promise<void>,
): Promise<Failure[]> {
  const failures: Failure[] = []
  for (const parent of partitioned) await work(parent).catch((error: unknown) => failures.push({ table: parent.table, error }))
  return failures
}

function throwFirst(failures: readonly Failure[]): void {
  const [first] = failures
  if (first === undefined) return
  const tables = [...new Set(failures.map(({ table }) => table))].join(', ')
  throw new Error(`The partitions of ${tables} were not maintained`, { cause: first.error })
}

/** Whether all partitions of the next days exist. */
export async function hasPartitions(db: Queryable, partitioned: readonly DailyPartitions[]): Promise<boolean> {
  return (await db.runOne(selectIsComplete, [partitioned.map(({ table }) => table), DAYS_AHEAD]))?.is_complete !== false
}

/** Ends early when the table is too busy. */
async function createMissing(db: Queryable, parent: DailyPartitions, days: readonly string[]): Promise<void> {
  const existing = await partitionsOf(db, parent)
  const missing = days.filter((day) => !existing.includes(nameOf(parent, day)))
  for (const day of missing) if (!(await succeeds(() => createPartition(db, parent, day)))) return
}

/** Ends early when the table is too busy. */
async function deleteExpired(db: Queryable, parent: DailyPartitions): Promise<void> {
  const partitions = await partitionsOf(db, parent)
  const before = await deletableBefore(db, parent, await oldestDay(db, parent, partitions))
  if (parent.deleteDependents !== undefined) await deleteBefore(db, parent.deleteDependents, before)
  for (const name of partitions) {
    if (name < nameOf(parent, before) && !(await succeeds(() => dropPartition(db, name)))) return
  }
  await deleteBefore(db, parent.deleteFromDefault, before)
  await saveDeletedBefore(db, parent, before)
}

/** The day of the oldest row, or an earlier day. */
async function oldestDay(
  db: Queryable,
  { selectOldest }: DailyPartitions,
  [first]: readonly string[],
): Promise<string | undefined> {
  const [row] = await db.run(selectOldest, [])
  const ofPartition = first?.replace(/^.*_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
  return [row?.day, ofPartition].filter((day) => typeof day === 'string').toSorted()[0]
}

const addDays = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

const nameOf = ({ table }: Pick<DailyPartitions, 'table'>, day: string): string => `${table}_${day.replaceAll('-', '')}`

/** Runs `change`, and repeats it while the lock times out. Returns false when every attempt timed out. */
async function succeeds(change: () => Promise<void>): Promise<boolean> {
  const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
  try {
    await retry(change, {
      maxTries: TRIES,
      isRetryable: (error) => codeOf(error) === LOCK_NOT_AVAILABLE,
      pauseMs: () => PAUSE_MS,
    })
    return true
  } catch (error) {
    if (codeOf(error) === ROWS_IN_DEFAULT_PARTITION) return true
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return false
    throw error
  }
}

/** In append-only tables, vacuum has nothing to clean, and makes new rows go to old pages, one row each: see migration 6. */
const APPEND_ONLY = 'autovacuum_vacuum_insert_threshold = -1'

const selectPartitions = statement<[table: string], { name: string }>({
  name: 'select_partitions',
  connection: 'read',
  sql: `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = $1::regclass and c.relname ~ '_[0-9]{8}$' order by 1`,
})

const selectIsComplete = statement<[tables: string[], daysAhead: number], { is_complete: boolean }>({
  name: 'has_partitions',
  connection: 'read',
  sql: `select coalesce(bool_and(to_regclass(t.name || to_char((now() at time zone 'UTC')::date + ahead.days, '_YYYYMMDD')) is not null), true) as is_complete
   from unnest($1::text[]) t (name) cross join generate_series(0, $2::int) ahead (days)`,
})

async function partitionsOf(db: Queryable, { table }: DailyPartitions): Promise<string[]> {
  return (await db.run(selectPartitions, [table])).map(({ name }) => name)
}

/** A partition, and the statements that make it. They create a table and attach it: that locks the parent for less time than creating a partition does. */
export function partitionOf(parent: Pick<DailyPartitions, 'table'>, day: string): { name: string; ddl: string[] } {
  const name = nameOf(parent, day)
  const [from, to] = [day, addDays(day, 1)].map((start) => `'${start} 00:00:00+00'`)
  const ddl = [
    `create table ${name} (like ${parent.table} including all) with (${APPEND_ONLY})`,
    `alter table ${parent.table} attach partition ${name} for values from (${from}) to (${to})`,
  ]
  return { name, ddl }
}

async function createPartition(db: Queryable, parent: DailyPartitions, day: string): Promise<void> {
  const { name, ddl } = partitionOf(parent, day)
  await underLock(db, async (tx) => {
    const existing = await tx.runOne(selectTable, [name])
    if (existing?.id !== null) return
    for (const statement of ddl) await execute(tx, statement)
  })
}

async function dropPartition(db: Queryable, name: string): Promise<void> {
  await underLock(db, (tx) => execute(tx, `drop table if exists ${name}`))
}

/** Runs DDL, which takes no parameters and is not prepared. */
async function execute(tx: Queryable, ddl: string): Promise<void> {
  await sql.raw(ddl).execute(tx.kysely)
}

/** Skips locked rows: the next call deletes them. */
async function deleteBefore(db: Queryable, deleteSome: DailyPartitions['deleteFromDefault'], day: string): Promise<void> {
  for (let deleted = ROWS_A_STATEMENT; deleted === ROWS_A_STATEMENT;) deleted = (await db.runOne(deleteSome, [day]))?.deleted ?? 0
}

const selectTable = statement<[name: string], { id: string | null }>({
  name: 'select_table',
  connection: 'read',
  sql: 'select to_regclass($1) as id',
})
const takeLock = statement<[], unknown>({
  name: 'take_partition_lock',
  connection: 'write',
  sql: `select ${awaitSystemLock('partitions')}`,
})
const limitLockWaits = statement<[timeout: string], unknown>({
  name: 'limit_lock_waits',
  connection: 'write',
  sql: `select set_config('lock_timeout', $1, true)`,
})

async function underLock(db: Queryable, change: (tx: Queryable) => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(takeLock, [])
    await tx.run(limitLockWaits, [LOCK_TIMEOUT])
    await change(tx)
  })
}
