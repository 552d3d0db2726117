import type { Query } from './schema-version.ts'

interface Index {
  isUnique: boolean
  name: string
  table: string
  /** The text after the name of the table. */
  definition: string
}

/** The only supported form. It can be repeated for each partition. */
const CREATE_INDEX = /^create (unique )?index concurrently (\w+) on (\w+) (.+)$/s

/**
 * Runs the statements of a migration one by one, each in its own transaction. Indexes are built concurrently; on a partitioned table,
 * partition by partition. An interrupted run can be repeated: existing indexes are kept, incomplete ones are dropped and built again.
 * `lockTimeout` applies to the statements that briefly lock a table.
 */
export async function buildIndexes(query: Query, migration: string, lockTimeout: string): Promise<void> {
  for (const statement of statementsOf(migration)) {
    const [, unique, name, table, definition] = CREATE_INDEX.exec(statement) ?? []
    if (name === undefined || table === undefined || definition === undefined) await query(statement)
    else await buildOn(query, { isUnique: unique !== undefined, name, table, definition }, lockTimeout)
  }
}

async function buildOn(query: Query, index: Index, lockTimeout: string): Promise<void> {
  if (await isPartitioned(query, index.table)) await buildOnPartitions(query, index, lockTimeout)
  else await build(query, index)
}

function statementsOf(migration: string): string[] {
  return migration
    .replaceAll(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

async function isPartitioned(query: Query, table: string): Promise<boolean> {
  const [row] = await query<{ partitioned: boolean }>(
    `select relkind = 'p' as partitioned from pg_class where oid = '${table}'::regclass`,
  )
  return row?.partitioned === true
}

/** Waits for older transactions, but blocks no writes; only one index of a table can be built at a time. */
async function build(query: Query, { isUnique, name, table, definition }: Index): Promise<void> {
  const [index] = await query<{ valid: boolean }>(
    `select indisvalid as valid from pg_index where indexrelid = to_regclass('${name}')`,
  )
  if (index?.valid === true) return
  if (index !== undefined) await query(`drop index concurrently ${name}`)
  await query(`create ${isUnique ? 'unique ' : ''}index concurrently ${name} on ${table} ${definition}`)
}

/** The table's index becomes valid when the index of the last partition is attached. Partitions created later get the index from the table. */
async function buildOnPartitions(query: Query, { isUnique, name, table, definition }: Index, lockTimeout: string): Promise<void> {
  await briefly(
    query,
    `create ${isUnique ? 'unique ' : ''}index if not exists ${name} on only ${table} ${definition}`,
    lockTimeout,
  )
  const partitions = await query<{ partition: string }>(
    `select inhrelid::regclass::text as partition from pg_inherits i
     where inhparent = '${table}'::regclass and not exists (
       select from pg_inherits a join pg_index x on x.indexrelid = a.inhrelid where a.inhparent = '${name}'::regclass and x.indrelid = i.inhrelid
     )`,
  )
  for (const { partition } of partitions) {
    const ofPartition = `${name}_of_${partition.slice(table.length + 1)}`
    await build(query, { isUnique, name: ofPartition, table: partition, definition })
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
