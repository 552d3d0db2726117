import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../database/database.ts'
import { awaitSystemLock } from '../database/locks.ts'
import { statement } from '../database/statement.ts'
import { deletableBefore, saveDeletedBefore, today, type ExpiringRows } from './deletion-progress.ts'

const EVENTS = { table: 'events', column: 'created_at', daysKept: 30 }
const PARTITIONED: readonly ExpiringRows[] = [
  EVENTS,
  { table: 'finished_deliveries', column: 'event_created_at', daysKept: EVENTS.daysKept },
  { table: 'audit_log', column: 'at', daysKept: 365 },
]

const DAYS_AHEAD = 7
const DAY_MS = 86_400_000

/** Attaching and dropping a partition locks the table for a moment: writers wait no longer than this for it, then it is tried again. */
const LOCK_TIMEOUT = '200ms'
const TRIES = 5
const PAUSE_MS = 300
const LOCK_NOT_AVAILABLE = '55P03'
const ROWS_IN_DEFAULT_PARTITION = '23514'

/**
 * Makes the daily partitions of events, deliveries and the audit log for the days to come, and drops those that are too old, by the clock
 * of the database and a day at a time. To be called at start and every hour, in as many processes as there are: one at a time does it.
 * What it could not do because the tables were busy is done by the next call; until then rows of a day without a partition are kept in the
 * default one.
 */
export async function maintainPartitions(db: Queryable): Promise<void> {
  const firstDay = await today(db)
  const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) => addDays(firstDay, ahead))
  for (const parent of PARTITIONED) {
    const existing = await partitionsOf(db, parent)
    const missing = days.filter((day) => !existing.includes(nameOf(parent, day)))
    for (const day of missing) if (!(await succeeds(() => createPartition(db, parent, day)))) return
    if (!(await deleteExpired(db, parent, existing))) return
  }
}

/** False when the table was too busy. */
async function deleteExpired(db: Queryable, parent: ExpiringRows, partitions: readonly string[]): Promise<boolean> {
  const before = await deletableBefore(db, parent, await oldestDay(db, parent, partitions))
  // A delivery that still waits goes before its event does.
  if (parent === EVENTS) await deleteBefore(db, 'waiting_deliveries', 'event_created_at', before)
  for (const name of partitions) {
    if (name < nameOf(parent, before) && !(await succeeds(() => dropPartition(db, name)))) return false
  }
  await deleteBefore(db, `${parent.table}_default`, parent.column, before)
  await saveDeletedBefore(db, parent, before)
  return true
}

/** The day of the oldest rows that there may be. */
async function oldestDay(
  db: Queryable,
  { table, column }: ExpiringRows,
  [first]: readonly string[],
): Promise<string | undefined> {
  const inDefault = statement<[], { day: string | null }>(
    `oldest_${table}`,
    `select (min(${column}) at time zone 'UTC')::date as day from ${table}_default`,
  )
  const [row] = await db.runApart(inDefault, [])
  const ofPartition = first?.replace(/^.*_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
  return [row?.day, ofPartition].filter((day) => typeof day === 'string').toSorted()[0]
}

const addDays = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

const nameOf = ({ table }: ExpiringRows, day: string): string => `${table}_${day.replaceAll('-', '')}`

/** Runs `change`, and again while it can not get its lock soon enough; false when it never could. */
async function succeeds(change: () => Promise<void>): Promise<boolean> {
  for (let tries = 1; tries <= TRIES; tries++) {
    try {
      await change()
      return true
    } catch (error) {
      const code = (error as { code?: unknown }).code
      // The day's rows are in the default partition already, and are deleted from there in time.
      if (code === ROWS_IN_DEFAULT_PARTITION) return true
      if (code !== LOCK_NOT_AVAILABLE) throw error
      await delay(PAUSE_MS * (1 + Math.random()))
    }
  }
  return false
}

/** Vacuum has nothing to clean in rows that are only ever added, and would make the next ones go to old pages, one to each: see migration 6. */
const APPEND_ONLY = 'autovacuum_vacuum_insert_threshold = -1'

const selectPartitions = statement<[table: string], { name: string }>(
  'select_partitions',
  `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = $1::regclass and c.relname ~ '_[0-9]{8}$' order by 1`,
)

async function partitionsOf(db: Queryable, { table }: ExpiringRows): Promise<string[]> {
  return (await db.run(selectPartitions, [table])).map(({ name }) => name)
}

/** Filled beside the table and attached to it, which locks it for less than making it in place does. */
async function createPartition(db: Queryable, parent: ExpiringRows, day: string): Promise<void> {
  const name = nameOf(parent, day)
  const [from, to] = [day, addDays(day, 1)].map((start) => `'${start} 00:00:00+00'`)
  await underLock(db, async (tx) => {
    const existing = await tx.runOne(selectTable, [name])
    if (existing?.id !== null) return
    await tx.run(
      statement(`create_${name}`, `create table ${name} (like ${parent.table} including all) with (${APPEND_ONLY})`),
      [],
    )
    await tx.run(
      statement(`attach_${name}`, `alter table ${parent.table} attach partition ${name} for values from (${from}) to (${to})`),
      [],
    )
  })
}

async function dropPartition(db: Queryable, name: string): Promise<void> {
  await underLock(db, async (tx) => {
    await tx.run(statement(`drop_${name}`, `drop table if exists ${name}`), [])
  })
}

/** Rows that one statement deletes, so that none takes long. */
const ROWS_A_STATEMENT = 5_000

/** Rows that are locked are left to the next call. */
async function deleteBefore(db: Queryable, table: string, column: string, day: string): Promise<void> {
  const deleteSome = statement<[day: string], { deleted: number }>(
    `expire_${table}`,
    `with deleted as (
       delete from ${table} where ctid = any(array(
         select ctid from ${table} where ${column} < $1::date limit ${ROWS_A_STATEMENT} for update skip locked
       )) returning 1
     )
     select count(*) as deleted from deleted`,
  )
  for (let deleted = ROWS_A_STATEMENT; deleted === ROWS_A_STATEMENT;)
    deleted = (await db.runApart(deleteSome, [day]))[0]?.deleted ?? 0
}

const selectTable = statement<[name: string], { id: string | null }>('select_table', 'select to_regclass($1) as id')
const takeLock = statement<[], unknown>('take_partition_lock', `select ${awaitSystemLock('partitions')}`)
const limitLockWaits = statement<[timeout: string], unknown>('limit_lock_waits', `select set_config('lock_timeout', $1, true)`)

async function underLock(db: Queryable, change: (tx: Queryable) => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(takeLock, [])
    await tx.run(limitLockWaits, [LOCK_TIMEOUT])
    await change(tx)
  })
}
