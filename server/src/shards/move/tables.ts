import { LOCK_TIMEOUT_MS, type Side } from './side.ts'

/** A table with rows of tenants. */
export interface TenantTable {
  name: string
  /** Without a primary key, a changed row is found by all its values. */
  has_key: boolean
}

/** The tables to move, from the catalog: all with a `tenant_id`. Unlogged ones are worth nothing elsewhere. `tenants` itself is not among them. */
export async function tenantTables({ client }: Side): Promise<TenantTable[]> {
  const { rows } = await client.query<TenantTable>(`
    select c.relname as name, exists (select from pg_index where indrelid = c.oid and indisprimary) as has_key
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
    order by 1`)
  return rows
}

/** The tables that hold the rows of a table: itself, or its partitions. */
export async function leavesOf({ client }: Side, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select coalesce(p.relid, c.oid)::regclass::text as name from pg_class c left join pg_partition_tree(c.oid) p on p.isleaf
     where c.oid = $1::regclass`,
    [table],
  )
  return rows.map(({ name }) => name)
}

interface Sequence {
  name: string
  last: number
}

/**
 * The sequences of ids of records and events. Ids of tenants and API keys have ranges of their own in each shard. Each sequence is read itself: `pg_sequences`
 * shows no last value of one that was restarted and not used since, as an earlier move leaves it.
 */
async function sequencesOf({ client }: Side): Promise<Sequence[]> {
  const { rows: names } = await client.query<Pick<Sequence, 'name'>>(`
    select pg_get_serial_sequence(c.relname, a.attname)::regclass::text as name
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attidentity <> '' and c.relnamespace = 'public'::regnamespace and c.relname <> 'api_keys'
      and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped)
    union select 'event_sequence' order by 1`)
  const last = names.map(
    ({ name }) => `select '${name}' as name, (last_value - case when is_called then 0 else 1 end)::float8 as last from ${name}`,
  )
  return (await client.query<Sequence>(last.join(' union all '))).rows
}

/**
 * Makes the sequences of the target hand out numbers above all of the source, so that new records of the tenant get new ids, and its new events sort
 * after those that readers have read. `room` is what the source may go on by until this is called again. Throws a lock timeout when a transaction in progress
 * has taken a number; what was advanced before stays so.
 */
export async function advanceSequences(source: Side, target: Side, room: number): Promise<void> {
  const present = new Map((await sequencesOf(target)).map(({ name, last }) => [name, last]))
  for (const { name, last } of await sequencesOf(source))
    if ((present.get(name) ?? 0) < last) await advance(target, name, last, room)
}

async function advance({ client }: Side, name: string, last: number, room: number): Promise<void> {
  await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
  try {
    // Locks the sequence against calls that take numbers: a sequence that goes back would hand out a number twice. Whoever has taken one keeps it from being
    // locked until the transaction ends, and meanwhile all calls wait behind this.
    await client.query(`alter sequence ${name} no cycle`)
    const { rows } = await client.query<{ present: number }>(`select last_value::float8 as present from ${name}`)
    if ((rows[0]?.present ?? 0) <= last) await client.query(`alter sequence ${name} restart with ${last + room + 1}`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}
