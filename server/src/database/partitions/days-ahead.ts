import type { Queryable } from '../database.ts'
import { statement } from '../statements/statement.ts'

interface DaysAhead {
  partition_days_ahead: number
}

const measure = statement<[], DaysAhead>({
  name: 'measure_partition_days_ahead',
  connection: 'slow',
  sql: `select coalesce(min(t.days), 0) as partition_days_ahead from (
     select count(c.oid) filter (where right(c.relname, 8) > to_char(now() at time zone 'UTC', 'YYYYMMDD')) as days
     from pg_partitioned_table p join pg_class parent on parent.oid = p.partrelid and parent.relnamespace = 'public'::regnamespace
     left join pg_inherits i on i.inhparent = p.partrelid left join pg_class c on c.oid = i.inhrelid and c.relname ~ '_[0-9]{8}$'
     where p.partdefid <> 0
     group by p.partrelid
   ) t`,
})

/** Measures for how many days after today every table with daily partitions has one. */
export async function measureDaysAhead(db: Queryable): Promise<Record<string, number>> {
  const [measured] = await db.run(measure, [])
  return { ...(measured as DaysAhead) }
}
