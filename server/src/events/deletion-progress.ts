import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statement.ts'

/** Rows that are kept for a number of days, and then deleted by the day. */
export interface ExpiringRows {
  table: string
  column: string
  daysKept: number
}

/** A day further than last time, and that once an hour over all processes: whoever sets a clock wrong has hours to notice. */
const PAUSE = `interval '55 minutes'`

const selectToday = statement<[], { today: string }>('select_today', `select (now() at time zone 'UTC')::date as today`)

const selectDeletable = statement<[table: string, daysKept: number, oldest: string | undefined], { before: string }>(
  'select_deletable_day',
  `select least((now() at time zone 'UTC')::date - $2::int, coalesce((
     select deleted_before + case when now() between deleted_at and deleted_at + ${PAUSE} then 0 else 1 end
     from deletion_progress where tenant_id = 0 and table_name = $1
   ), $3::date + 1)) as before`,
)

const saveDeleted = statement<[table: string, before: string], never>(
  'save_deletion_progress',
  `insert into deletion_progress as p (tenant_id, table_name, deleted_before, deleted_at) values (0, $1, $2, now())
   on conflict (tenant_id, table_name) do update set deleted_before = excluded.deleted_before, deleted_at = excluded.deleted_at
   where p.deleted_before < excluded.deleted_before`,
)

/** The day by the clock of the database: that of a server process decides nothing. */
export async function today(db: Queryable): Promise<string> {
  return ((await db.runOne(selectToday, [])) as { today: string }).today
}

/** The day before which rows may be deleted now. `oldest` is the day of the oldest ones, if there are any. */
export async function deletableBefore(db: Queryable, rows: ExpiringRows, oldest: string | undefined): Promise<string> {
  return ((await db.runOne(selectDeletable, [rows.table, rows.daysKept, oldest])) as { before: string }).before
}

/** Remembers that everything before that day is deleted. */
export async function saveDeletedBefore(db: Queryable, { table }: ExpiringRows, before: string): Promise<void> {
  await db.run(saveDeleted, [table, before])
}
