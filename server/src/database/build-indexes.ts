import type { Query } from './schema-version.ts'

interface Index {
  /** Its name. */
  index: string
  isUnique?: boolean
  table: string
  /** The text after the name of the table. */
  definition: string
}

/** A step of a migration that runs outside a transaction: an index to build, or a statement that can be repeated. */
export type ConcurrentStep = Index | { sql: string }

/**
 * Runs the steps of a migration one by one, each in its own transaction. Indexes are built concurrently; on a partitioned table,
 * partition by partition. An interrupted run can be repeated: existing indexes are kept, incomplete ones are dropped and built again.
 * `lockTimeout` applies to the statements that briefly lock a table.
 */
export async function buildIndexes(query: Query, steps: readonly ConcurrentStep[], lockTimeout: string): Promise<void> {
  for (const step of steps) {
    if ('sql' in step) await query(step.sql)
    else if (await isPartitioned(query, step.table)) await buildOnPartitions(query, step, lockTimeout)
    else await build(query, step)
  }
}

async function isPartitioned(query: Query, table: string): Promise<boolean> {
  const [row] = await query<{ partitioned: boolean }>(
    `select relkind = 'p' as partitioned from pg_class where oid = '${table}'::regclass`,
  )
  return row?.partitioned === true
}

const unique = (isUnique = false): string => (isUnique ? 'unique ' : '')

/** Waits for older transactions, but blocks no writes; only one index of a table can be built at a time. */
async function build(query: Query, { index: name, isUnique, table, definition }: Index): Promise<void> {
  const [index] = await query<{ valid: boolean }>(
    `select indisvalid as valid from pg_index where indexrelid = to_regclass('${name}')`,
  )
  if (index?.valid === true) return
  if (index !== undefined) await query(`drop index concurrently ${name}`)
  await query(`create ${unique(isUnique)}index concurrently ${name} on ${table} ${definition}`)
}

/** The table's index becomes valid when the index of the last partition is attached. Partitions created later get the index from the table. */
async function buildOnPartitions(
  query: Query,
  { index: name, isUnique, table, definition }: Index,
  lockTimeout: string,
): Promise<void> {
  await briefly(query, `create ${unique(isUnique)}index if not exists ${name} on only ${table} ${definition}`, lockTimeout)
  const partitions = await query<{ partition: string }>(
    `select inhrelid::regclass::text as partition from pg_inherits i
     where inhparent = '${table}'::regclass and not exists (
       select from pg_inherits a join pg_index x on x.indexrelid = a.inhrelid where a.inhparent = '${name}'::regclass and x.indrelid = i.inhrelid
     )`,
  )
  for (const { partition } of partitions) {
    const ofPartition = `${name}_of_${partition.slice(table.length + 1)}`
    await build(query, { index: ofPartition, isUnique, table: partition, definition })
    await briefly(query, `alter index ${name} attach partition ${ofPartition}`, lockTimeout)
  }
}

/** Runs a statement with a lock timeout, because other queries wait behind its lock. */
async function briefly(query: Query, statement: string, lockTimeout: string): Promise<void> {
  await query(`set lock_timeout = '${lockTimeout}'`)
  try {
    await query(statement)
  } finally {
    await query('set lock_timeout = 0')
  }
}
