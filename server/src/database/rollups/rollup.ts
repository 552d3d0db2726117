import { statement, type Statement } from '../statements/statement.ts'

/** A table of changed counts, and the statement that moves up to a batch of them into rollups. */
export interface Rollup {
  changes: string
  fold: Statement<[batch: number], { folded: number }>
}

/**
 * Defines how a table of changed counts is folded. `ctes` is SQL that adds the CTE `taken`, up to a batch of changes, to rollups. A change is
 * deleted and added in one transaction, so every snapshot counts it once.
 */
export function rollup({ name, changes, ctes }: { name: string; changes: string; ctes: string }): Rollup {
  const fold: Rollup['fold'] = statement({
    name,
    connection: 'write',
    sql: `with taken as (
     delete from ${changes} where ctid = any (array(select ctid from ${changes} limit $1::int)) returning *
   ), ${ctes}
   select count(*) as folded from taken`,
  })
  return { changes, fold }
}

/** SQL that adds the changes of `taken` to the rollup `table`. `created_month` is the month of `created_day`. */
export const addToRollup = (table: string, columns: string): string => `
   insert into ${table} (${columns}, count)
   select ${columns}, sum(change) from (select *, date_trunc('month', created_day::timestamp)::date as created_month from taken) t
   group by ${columns} having sum(change) <> 0
   on conflict (${columns}) do update set count = ${table}.count + excluded.count`
