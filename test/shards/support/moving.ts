import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { openDatabase, type Database } from '@fulfillment/server/database/database.ts'
import { type CommandRun, runCommand, startCommand, type StartedCommand } from '../../command-line/run-command.ts'
import { it as base } from '../../faults/support/it.ts'
import type { PostgresServer } from '../../faults/support/postgres-servers.ts'
import { freePort } from '../../support/free-port.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { send } from '../../support/service.ts'

const ENCRYPTION_KEY = 'encryption key of the tests'
const FEED_PAUSE_MS = 50
const PAGE = 200
/** A load without it takes all processor time that there is, and the move has to catch up with it: half as long again. */
const THINK_MS = 200
/** Each commit takes 10 ms more, and those that wait meanwhile share it, as on a disk that is slow to write. */
export const SLOW_DISK = { commit_delay: '10000', commit_siblings: '0' }

/** A service of two shards, each a Postgres of its own, with two servers that can be killed. */
export interface Installation {
  env: Record<string, string>
  postgres: Record<1 | 2, PostgresServer>
  servers: ServerProcess[]
  /** Starts a server on the port that it always has. */
  start(index: number): Promise<void>
  db: Record<1 | 2, Database>
  cli(...args: string[]): Promise<CommandRun>
  startCli(...args: string[]): StartedCommand
}

/** `it` with such an installation, and a tenant of shard 1 under load whose events a receiver and a reader of the feed get. */
export const it = base
  .extend(
    'installation',
    { scope: 'file' },
    async ({ startPostgres, startLastingProcess }, { onCleanup }): Promise<Installation> => {
      const postgres = { 1: await startPostgres(SLOW_DISK), 2: await startPostgres(SLOW_DISK) }
      const env = { DATABASE_URL: postgres[1].url, ENCRYPTION_KEY }
      const ports = [await freePort(), await freePort()]
      const servers: ServerProcess[] = []
      const start = async (index: number): Promise<void> => {
        servers[index] = await startLastingProcess({ ...env, PORT: String(ports[index]), LOG_LEVEL: 'warn' })
      }
      await start(0)
      const cli = (...args: string[]): Promise<CommandRun> => runCommand(args, env)
      const { exitCode, stderr } = await cli('shards', 'add', postgres[2].url)
      if (exitCode !== 0) throw new Error(stderr)
      await start(1)
      const few = { exclusiveConnections: 2, pipelinedConnections: 1 }
      const db = { 1: openDatabase(postgres[1].url, few), 2: openDatabase(postgres[2].url, few) }
      onCleanup(async () => {
        await Promise.all([db[1].close(), db[2].close()])
      })
      return { env, postgres, servers, start, db, cli, startCli: (...args) => startCommand(args, env) }
    },
  )
  .extend('loaded', { scope: 'file' }, async ({ installation, startLoad }) => {
    const loaded = await startLoad(installation.postgres[1].url, installation.servers[0]?.url as string, { thinkMs: THINK_MS })
    return loaded
  })
  .extend('feed', { scope: 'file' }, async ({ installation, loaded }, { onCleanup }) => {
    const reader = new FeedReader(installation.servers[1]?.url as string, loaded.tenant.key)
    onCleanup(() => reader.stop())
    return reader
  })

/** What tells the states of moves: the directory. */
interface Directory {
  db: Record<1, Database>
}

/** The state of the tenant's move. */
export async function stateOf({ db }: Directory, tenantId: number): Promise<string> {
  const { rows } = await db[1].dedicatedPool.query('select state from moved_tenants where id = $1', [tenantId])
  return rows[0]?.state ?? 'settled'
}

/** Waits until the move is in this state. The command must not end before. */
export async function untilState(directory: Directory, tenantId: number, state: string, mover?: StartedCommand): Promise<void> {
  let ended: CommandRun | undefined
  void mover?.ended.then((run) => (ended = run))
  for (const giveUpAt = Date.now() + 300_000; (await stateOf(directory, tenantId).catch(() => '')) !== state; await delay(15)) {
    if (ended !== undefined) throw new Error(`the move ended before ${state}: ${ended.stderr}`)
    if (Date.now() > giveUpAt) throw new Error(`the move did not come to ${state}`)
  }
}

/** Kills a command. */
export async function killCommand({ child, ended }: StartedCommand): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

/** Runs a command that must succeed. */
export async function succeed(command: Promise<CommandRun>): Promise<CommandRun> {
  const run = await command
  if (run.exitCode !== 0) throw new Error(run.stderr)
  return run
}

/** What moves have made in both databases and not removed. */
export async function leftBehind({ db }: Installation): Promise<unknown[]> {
  const left = await Promise.all(
    [db[1], db[2]].map(({ dedicatedPool }) =>
      dedicatedPool.query(`
        select 'publication' as kind, pubname::text as name from pg_publication
        union all select 'slot', slot_name::text from pg_replication_slots where slot_name not like 'pg_basebackup%'
        union all select 'subscription', subname::text from pg_subscription
        union all select 'trigger', tgname::text from pg_trigger where tgname like 'fulfillment_move%'
        union all select 'fence', id::text from tenant_fences
        union all select 'mark', tenant_id::text from move_marks
        union all select 'replica identity', relname::text from pg_class where relreplident = 'f'`),
    ),
  )
  return left.flatMap(({ rows }) => rows)
}

/** Follows the feed of a tenant with a cursor, as a client does. */
export class FeedReader {
  readonly ids: string[] = []
  readonly faults: string[] = []
  readonly #url: string
  readonly #key: string
  readonly #done: Promise<void>
  #stopping = false

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
    this.#done = this.#follow()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#done
  }

  async #follow(): Promise<void> {
    while (!this.#stopping) if ((await this.#readPage()) < PAGE) await delay(FEED_PAUSE_MS)
  }

  async #readPage(): Promise<number> {
    const after = this.ids.at(-1)
    const cursor = after === undefined ? '' : `&cursor=${after}`
    const response = await send(`${this.#url}/api/v1/events?limit=${PAGE}${cursor}`, 'GET', undefined, { key: this.#key }).catch(
      () => undefined,
    )
    if (response?.status === 200) {
      const ids = (response.body.data.events as { id: string }[]).map(({ id }) => id)
      this.ids.push(...ids)
      return ids.length
    }
    // The server was killed, or the tenant is being switched.
    if (response !== undefined && response.status !== 503) this.faults.push(`${response.status} ${JSON.stringify(response.body)}`)
    return 0
  }

  /** Expects that the feed had each event of the tenant once, and in order. */
  async expectAll(db: Database, tenantId: number): Promise<void> {
    const { rows } = await db.dedicatedPool.query('select id from events where tenant_id = $1 order by id', [tenantId])
    const all = rows.map(({ id }) => id)
    await expect.poll(() => this.ids.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(all.length)
    await this.stop()
    expect(this.faults).toEqual([])
    expect(this.ids).toEqual(all)
  }
}

/** The numbers of rows of a moved tenant and its sandbox in a shard, by table, without tables that have none. */
export async function rowsOf({ db: all }: Installation, shard: 1 | 2, tenantId: number): Promise<Record<string, number>> {
  const db = all[shard]
  const { rows: moved } = await all[1].dedicatedPool.query('select id, sandbox_id from moved_tenants where id = $1', [tenantId])
  const tenantIds = [moved[0].id, moved[0].sandbox_id]
  const query = async (sql: string, values: unknown[] = []) => (await db.dedicatedPool.query(sql, values)).rows
  const tables = await query(`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p' order by 1`)
  const [{ count: tenants }] = await query('select count(*)::int as count from tenants where id = any ($1::bigint[])', [
    tenantIds,
  ])
  const counts: Record<string, number> = tenants > 0 ? { tenants } : {}
  for (const { name } of tables) {
    const [row] = await query(`select count(*)::int as count from ${name} where tenant_id = any ($1::bigint[])`, [tenantIds])
    if (row.count > 0) counts[name] = row.count
  }
  return counts
}
