import { setTimeout as delay } from 'node:timers/promises'
import { awaitSystemLockOfSession, giveUpSystemLock } from '../../database/locks.ts'
import { fenced, briefly, type Move, type Side } from './side.ts'
import { writeMark } from './fence.ts'
import type { TenantTable } from './tables.ts'

const POLL_MS = 10
const SLOT_PATIENCE_MS = 30_000
const ENDED_AFTER_MS = 3_000
const COMMITTED_AFTER_MS = 2_000

/** Names of all moves. */
const ANY_MOVE = 'fulfillment\\_move\\_%'

/** Whether the target has the subscription, and the source what it needs. A failover can lose a slot; then the copy must begin again. */
export async function isReplicating(move: Move): Promise<boolean> {
  const { name, source, target } = move
  const [slot, subscription] = await Promise.all([
    source.client.query('select from pg_replication_slots where slot_name = $1', [name]),
    subscriptionOf(target, name),
  ])
  return slot.rowCount === 1 && subscription !== undefined && !(await hasLostTables(move))
}

/** Whether the source lacks the slot of a table that the target has copied and not brought up to date. Postgres would try it again for ever. */
export async function hasLostTables(move: Move): Promise<boolean> {
  const missing = await slotsMissing(move)
  if (missing.length === 0) return false
  // The target drops the slot just before it commits that the table is up to date.
  await delay(COMMITTED_AFTER_MS)
  const still = await slotsMissing(move)
  return missing.some((slot) => still.includes(slot))
}

async function slotsMissing(move: Move): Promise<string[]> {
  const needed = await slotsNeeded(move)
  if (needed.length === 0) return []
  const { rows } = await move.source.client.query<{ slot_name: string }>('select slot_name from pg_replication_slots')
  const present = new Set(rows.map(({ slot_name }) => slot_name))
  return needed.filter((slot) => !present.has(slot))
}

async function slotsNeeded({ name, target }: Move): Promise<string[]> {
  const { rows } = await target.client.query<{ slot: string }>(
    `select format('pg_%s_sync_%s_%s', s.oid, r.srrelid, c.system_identifier) as slot
     from pg_subscription s join pg_subscription_rel r on r.srsubid = s.oid and r.srsubstate = 'f', pg_control_system() c
     where s.subname = $1 and s.subdbid = (select oid from pg_database where datname = current_database())`,
    [name],
  )
  return rows.map(({ slot }) => slot)
}

/** Makes the publication of the tenant's rows, and the slot from which the target follows. */
export async function publish({ name, ids, source }: Move, tables: readonly TenantTable[]): Promise<void> {
  const { client } = source
  await oneAtATime(source, async () => {
    for (const table of tables) if (!table.has_key) await identify(source, table.name, 'full')
    if ((await client.query('select from pg_publication where pubname = $1', [name])).rowCount !== 0) return
    const filtered = (column: string): string => `(${ids.map((id) => `${column} = ${id}`).join(' or ')})`
    const ofTables = tables.map((table) => `${table.name} where ${filtered('tenant_id')}`)
    await client.query(
      `create publication ${name} for table tenants where ${filtered('id')}, ${ofTables.join(', ')}
       with (publish = 'insert, update, delete', publish_via_partition_root = true)`,
    )
  })
  // Not by the subscription: that waits for its own transaction when both databases are of one Postgres.
  if ((await client.query('select from pg_replication_slots where slot_name = $1', [name])).rowCount === 0)
    await client.query(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [name])
}

/** The tables of the publication. One that is made later is not among them, and is not copied. */
export async function publishedTables({ name, source }: Move): Promise<Set<string>> {
  const { rows } = await source.client.query<{ name: string }>(
    `select c.relname as name from pg_publication p join pg_publication_rel r on r.prpubid = p.oid join pg_class c on c.oid = r.prrelid
     where p.pubname = $1`,
    [name],
  )
  return new Set(rows.map((row) => row.name))
}

/**
 * Begins the copy. `url` is the address of the source, as the target reaches it. The target commits durably: when it has copied a table, it drops the
 * slot of the table in the source, and would miss it after a crash that loses the commit before.
 */
export async function subscribe({ name, target }: Move, url: string): Promise<void> {
  await target.client.query(
    `create subscription ${name} connection ${literal(url)} publication ${name} with (create_slot = false, slot_name = '${name}', synchronous_commit = 'local')`,
  )
}

/**
 * Commits later changes together: the target commits the transactions of the source one after the other, and would fall behind ever more on a disk where
 * each takes milliseconds. A crash loses none, since Postgres confirms to the source only what is on the disk. Requires that no table has a slot.
 */
export async function commitTogether({ name, target }: Move): Promise<void> {
  await target.client.query(`alter subscription ${name} set (synchronous_commit = 'off')`)
}

/** A copy. */
export interface Copied {
  all: number
  /** Tables that are copied, and whose slots are dropped or about to be. */
  withoutSlot: number
  /** Tables that are copied and up to date. */
  done: number
  /** Errors so far, after which Postgres tries again. */
  errors: number
}

/** How far the copy is. */
export async function copied({ name, target }: Move): Promise<Copied> {
  const { rows } = await target.client.query(
    `select count(*) filter (where r.srsubstate = 'r')::int as done, count(*)::int as all,
       count(*) filter (where r.srsubstate in ('s', 'r'))::int as "withoutSlot",
       (select coalesce(sum(apply_error_count + sync_error_count), 0)::int from pg_stat_subscription_stats e where e.subid = s.oid) as errors
     from pg_subscription s left join pg_subscription_rel r on r.srsubid = s.oid
     where s.subname = $1 and s.subdbid = (select oid from pg_database where datname = current_database()) group by s.oid`,
    [name],
  )
  if (rows[0] === undefined) throw new Error(`The subscription ${name} is gone`)
  return rows[0]
}

/** Writes a mark in the source, and returns the milliseconds until the target has it. */
export async function measureLag(move: Move, patienceMs: number): Promise<number> {
  const mark = newMark()
  const startedAt = performance.now()
  await fenced(move, move.source, () => writeMark(move, mark))
  if (!(await hasReached(move, mark, patienceMs))) return Infinity
  return performance.now() - startedAt
}

/** Another number for each mark. */
export const newMark = (): number => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)

/** Waits until the target has the mark, and so everything from before it. */
export async function hasReached({ tenantId, target }: Move, mark: number, patienceMs: number): Promise<boolean> {
  for (const giveUpAtMs = performance.now() + patienceMs; ; await delay(POLL_MS)) {
    const { rows } = await target.client.query<{ mark: string }>('select mark from move_marks where tenant_id = $1', [tenantId])
    if (Number(rows[0]?.mark) === mark) return true
    if (performance.now() > giveUpAtMs) return false
  }
}

/** Drops the subscription: from now on, nothing of the source reaches the target. */
export async function unsubscribe({ name, target }: Move): Promise<void> {
  if ((await subscriptionOf(target, name)) === undefined) return
  await target.client.query(`alter subscription ${name} disable`)
  await target.client.query(`alter subscription ${name} set (slot_name = none)`)
  await target.client.query(`drop subscription ${name}`)
}

/**
 * A `like` pattern for the slots that Postgres makes in the source for copying tables; undefined without a subscription. Postgres drops these
 * slots itself, unless the subscription is dropped first.
 */
export async function slotsOfTables({ name, target }: Move): Promise<string | undefined> {
  const oid = await subscriptionOf(target, name)
  if (oid === undefined) return undefined
  const { rows } = await target.client.query('select system_identifier::text as id from pg_control_system()')
  return `pg\\_${oid}\\_sync\\_%\\_${rows[0].id}`
}

/** Removes what `publish` made. `ofTables` is a pattern of further slots. */
export async function unpublish(move: Move, tables: readonly TenantTable[], ofTables: string | undefined): Promise<void> {
  const { name, source } = move
  const { rows } = await source.client.query<{ slot_name: string }>(
    'select slot_name from pg_replication_slots where slot_name = $1 or slot_name like $2',
    [name, ofTables ?? name],
  )
  for (const { slot_name } of rows) await dropSlot(source, slot_name)
  await oneAtATime(source, async () => {
    await source.client.query(`drop publication if exists ${name}`)
    const others = await source.client.query('select from pg_publication where pubname like $1', [ANY_MOVE])
    if (others.rowCount !== 0) return
    for (const table of tables) if (!table.has_key) await identify(source, table.name, 'default')
  })
}

/**
 * Runs `work` while no other move makes or drops its publication. Without the replica identity that a publication needs, Postgres refuses updates and
 * deletions of the table, of all tenants.
 */
async function oneAtATime({ client }: Side, work: () => Promise<void>): Promise<void> {
  await client.query(`select ${awaitSystemLockOfSession('publications')}`)
  try {
    await work()
  } finally {
    await client.query(`select ${giveUpSystemLock('publications')}`).catch(() => {})
  }
}

/** Its user may still be ending. */
async function dropSlot({ client }: Side, name: string): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    const { rows } = await client.query('select active_pid from pg_replication_slots where slot_name = $1', [name])
    if (rows[0] === undefined) return
    if (rows[0].active_pid === null) {
      await client.query('select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1', [name])
      return
    }
    const waitedMs = performance.now() - startedAt
    if (waitedMs > SLOT_PATIENCE_MS) throw new Error(`The replication slot ${name} is still in use; run the command again later`)
    if (waitedMs > ENDED_AFTER_MS) await client.query('select pg_terminate_backend($1)', [rows[0].active_pid])
    await delay(100)
  }
}

async function identify(side: Side, table: string, identity: 'full' | 'default'): Promise<void> {
  const letter = identity === 'full' ? 'f' : 'd'
  const { rowCount } = await side.client.query('select from pg_class where oid = $1::regclass and relreplident = $2', [
    table,
    letter,
  ])
  if (rowCount === 0) await briefly(side.client, `alter table ${table} replica identity ${identity}`)
}

async function subscriptionOf({ client }: Side, name: string): Promise<string | undefined> {
  const { rows } = await client.query<{ oid: string }>(
    `select oid::text from pg_subscription where subname = $1 and subdbid = (select oid from pg_database where datname = current_database())`,
    [name],
  )
  return rows[0]?.oid
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
