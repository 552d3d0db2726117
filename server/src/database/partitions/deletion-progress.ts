import type { Queryable } from '../database.ts'
import type { DailyPartitions } from './daily-partitions.ts'
import { statement } from '../statements/statement.ts'

/** Deletion advances by at most one day per hour, across all processes: the operator has hours to notice a wrong clock. */
const PAUSE = `interval '55 minutes'`

const selectToday = statement<[], { today: string }>({
  name: 'select_today',
  connection: 'read',
  sql: `select (now() at time zone 'UTC')::date as today`,
})

const selectDeletable = statement<[table: string, daysKept: number, oldest: string | undefined], { before: string }>({
  name: 'select_deletable_day',
  connection: 'read',
  sql: `select least((now() at time zone 'UTC')::date - $2::int, coalesce((
     select deleted_before + case when now() between deleted_at and deleted_at + ${PAUSE} then 0 else 1 end
     from deletion_progress where tenant_id = 0 and table_name = $1
   ), $3::date + 1)) as before`,
})

const saveDeleted = statement<[table: string, before: string], never>({
  name: 'save_deletion_progress',
  connection: 'write',
  sql: `insert into deletion_progress as p (tenant_id, table_name, deleted_before, deleted_at) values (0, $1, $2, now())
   on conflict (tenant_id, table_name) do update set deleted_before = excluded.deleted_before, deleted_at = excluded.deleted_at
   where p.deleted_before < excluded.deleted_before`,
})

/** Today by the database's clock. The clocks of server processes are not used. */
export async function today(db: Queryable): Promise<string> {
  return ((await db.runOne(selectToday, [])) as { today: string }).today
}

/** Rows before the returned day may be deleted now. `oldest` is the day of the oldest row, if there is one. */
export async function deletableBefore(db: Queryable, rows: DailyPartitions, oldest: string | undefined): Promise<string> {
  return ((await db.runOne(selectDeletable, [rows.table, rows.daysKept, oldest])) as { before: string }).before
}

/** Records that all rows before the day are deleted. */
export async function saveDeletedBefore(db: Queryable, { table }: DailyPartitions, before: string): Promise<void> {
  await db.run(saveDeleted, [table, before])
}
