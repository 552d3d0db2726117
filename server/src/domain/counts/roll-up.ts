/**
 * The CTE `taken`: up to `$1` changes. A change is deleted and added to the rollups in one transaction, so every snapshot counts it once.
 */
export const taken = (table: string): string =>
  `taken as (delete from ${table} where ctid = any (array(select ctid from ${table} limit $1::int)) returning *)`

/** SQL that adds the changes of `taken` to a rollup. `created_month` is the month of `created_day`. */
export const rollUp = (table: string, columns: string): string => `
   insert into ${table} (${columns}, count)
   select ${columns}, sum(change) from (select *, date_trunc('month', created_day::timestamp)::date as created_month from taken) t
   group by ${columns} having sum(change) <> 0
   on conflict (${columns}) do update set count = ${table}.count + excluded.count`
