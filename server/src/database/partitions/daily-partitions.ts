import { statement, type Statement } from '../statements/statement.ts'

/** Rows deleted by one statement. The limit keeps every statement short. */
export const ROWS_A_STATEMENT = 5_000

/** A table with a timestamp column. */
interface TimedTable {
  table: string
  column: string
}

type DeleteSome = Statement<[day: string], { deleted: number }>

/** A table with daily partitions. A partition is dropped when its day is older than `daysKept`. */
export interface DailyPartitions extends TimedTable {
  daysKept: number
  /** The day of the oldest row of the default partition. */
  selectOldest: Statement<[], { day: string | null }>
  deleteFromDefault: DeleteSome
  /** Deletes the dependent rows, which must go first. */
  deleteDependents: DeleteSome | undefined
}

/** Partitions a table by the day of a column. `dependents` is a table whose old rows are deleted first. */
export function dailyPartitions({
  table,
  column,
  daysKept,
  dependents,
}: TimedTable & { daysKept: number; dependents?: TimedTable }): DailyPartitions {
  return {
    table,
    column,
    daysKept,
    selectOldest: statement({
      name: `oldest_${table}`,
      connection: 'slow',
      sql: `select (min(${column}) at time zone 'UTC')::date as day from ${table}_default`,
    }),
    deleteFromDefault: deleteSome({ table: `${table}_default`, column }),
    deleteDependents: dependents && deleteSome(dependents),
  }
}

function deleteSome({ table, column }: TimedTable): DeleteSome {
  return statement<[day: string], { deleted: number }>({
    name: `expire_${table}`,
    connection: 'write',
    sql: `with deleted as (
       delete from ${table} where ctid = any(array(
         select ctid from ${table} where ${column} < $1::date limit ${ROWS_A_STATEMENT} for update skip locked
       )) returning 1
     )
     select count(*) as deleted from deleted`,
  })
}
