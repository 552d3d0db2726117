import { awaitSystemLock } from '../../database/locks.ts'
import { partitionOf, ROWS_IN_DEFAULT_PARTITION } from '../../database/partitions/maintain-partitions.ts'
import { briefly, type Move, type Side } from './side.ts'
import { leavesOf } from './tables.ts'

/** A table with a partition per day of a column. */
interface PartitionedTable {
  table: string
  column: string
}

/**
 * Creates in the target the daily partitions of past days of which the source has rows of the tenant: a younger shard lacks them. The rows would go to its
 * default partitions, and whenever a partition is attached, Postgres reads the default partition whole, while all queries of the table wait.
 */
export async function copyPartitions({ ids, source, target }: Move): Promise<void> {
  for (const partitioned of await partitionedTables(source)) {
    const present = new Set(await leavesOf(target, partitioned.table))
    for (const day of await daysOf(source, partitioned, ids)) {
      const { name, ddl } = partitionOf(partitioned, day)
      if (!present.has(name)) await attach(target, name, ddl)
    }
  }
}

async function partitionedTables({ client }: Side): Promise<PartitionedTable[]> {
  const { rows } = await client.query<PartitionedTable>(`
    select c.relname as table, a.attname as column
    from pg_partitioned_table p join pg_class c on c.oid = p.partrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
    where c.relnamespace = 'public'::regnamespace and p.partdefid <> 0
    order by 1`)
  return rows
}

/** The days of the rows of the tenant and its sandbox. */
async function daysOf(side: Side, { table, column }: PartitionedTable, ids: readonly number[]): Promise<string[]> {
  const days = new Set<string>()
  for (const leaf of await leavesOf(side, table)) {
    const day = /_(\d{4})(\d\d)(\d\d)$/.exec(leaf)?.slice(1).join('-')
    const found =
      day === undefined
        ? `select distinct to_char(${column} at time zone 'UTC', 'YYYY-MM-DD') as day from ${leaf} where tenant_id = any ($1::bigint[])`
        : `select '${day}' as day from ${leaf} where tenant_id = any ($1::bigint[]) limit 1`
    for (const row of (await side.client.query<{ day: string }>(found, [ids])).rows) days.add(row.day)
  }
  return [...days]
}

/** Postgres reads the default partition while all queries of the table wait. If that takes longer, rows of the day go to it. */
const LONGEST_ATTACH_MS = 500
const QUERY_CANCELED = '57014'

/** Unless a server makes it meanwhile. */
async function attach({ client }: Side, name: string, ddl: readonly string[]): Promise<void> {
  const unlessPresent = `do $$ begin if to_regclass('${name}') is null then ${ddl.join('; ')}; end if; end $$`
  try {
    await briefly(
      client,
      `select ${awaitSystemLock('partitions')}; set local statement_timeout = ${LONGEST_ATTACH_MS}; ${unlessPresent}`,
    )
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== ROWS_IN_DEFAULT_PARTITION && code !== QUERY_CANCELED) throw error
  }
}
