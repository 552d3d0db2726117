import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { startEmbeddedPostgres } from '@fulfillment/server/database/embedded/embedded-postgres.ts'
import { buildIndexes } from '@fulfillment/server/database/build-indexes.ts'
import { migrate } from '@fulfillment/server/database/migrate.ts'
import { steps } from '@fulfillment/server/database/migrations/0015_search_indexes.concurrent.ts'
import type { Query } from '@fulfillment/server/database/schema-version.ts'
import { maintainAllPartitions } from '@fulfillment/server/maintenance.ts'
import { seedBare } from './seed-bare.ts'
import { seedService } from './seed-service.ts'
import { FULL, SHORT, type Seed } from './seed.ts'

const DATA_DIR = path.resolve('.data/bench')
const SOURCES = ['../baseline/', './']

/** Built after the tables are filled, which takes a tenth of the time. */
const SEARCH_INDEXES = ['orders_by_customer_name', 'products_by_text']

export interface BenchDatabase {
  url: string
  postmasterPid: number
  seed: Seed
  stop(): Promise<void>
}

/**
 * Starts a Postgres and fills it. Filling a million orders takes minutes, so the full database is kept for the next run until the seed
 * changes; migrations bring it up to date. The short one is created each time.
 */
export async function startBenchDatabase(short: boolean): Promise<BenchDatabase> {
  const dataDir = short ? await mkdtemp(path.join(tmpdir(), 'fulfillment-bench-')) : DATA_DIR
  const version = await digestOf(SOURCES)
  await mkdir(dataDir, { recursive: true })
  let postgres = await startEmbeddedPostgres({ dataDir })
  let seed = await readSeed(postgres.connectionString, version)
  if (seed === undefined) {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
    postgres = await startEmbeddedPostgres({ dataDir })
    seed = await fill(postgres.connectionString, version, short)
  }
  const pidFile = await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  return {
    url: postgres.connectionString,
    postmasterPid: Number(pidFile.split('\n', 1)[0]),
    seed,
    stop: async () => {
      await postgres.stop()
      if (short) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function digestOf(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of folders.map((name) => new URL(name, import.meta.url))) {
    for (const file of (await readdir(folder)).toSorted()) hash.update(await readFile(new URL(file, folder)))
  }
  return hash.digest('hex')
}

async function readSeed(url: string, version: string): Promise<Seed | undefined> {
  return await withClient(url, async (client) => {
    const { rows: tables } = await client.query(`select to_regclass('bench_seed') as name`)
    if ((tables[0] as { name: string | null }).name === null) return undefined
    const { rows } = await client.query('select seed from bench_seed where version = $1', [version])
    return (rows[0] as { seed: Seed } | undefined)?.seed
  })
}

async function fill(url: string, version: string, short: boolean): Promise<Seed> {
  const sizes = short ? SHORT : FULL
  const db = openDatabase(url, { exclusiveConnections: 2, pipelinedConnections: 1 })
  await db.withoutTimeLimits(migrate)
  await maintainAllPartitions(db)
  const seed = await withClient(url, async (client) => {
    // The generated rows satisfy the foreign keys, so Postgres need not check each.
    await client.query(
      `set session_replication_role = replica; set synchronous_commit = off; set max_parallel_maintenance_workers = 2`,
    )
    await client.query(`drop index ${SEARCH_INDEXES.join(', ')}`)
    const service = await seedService(db, client, sizes)
    const bare = await seedBare(client, sizes)
    const query: Query = async (text) => (await client.query(text)).rows
    await buildIndexes(query, steps, '1s')
    await client.query('vacuum (freeze, analyze)')
    return { sizes, bare, service }
  })
  await db.close()
  await withClient(url, async (client) => {
    await client.query('create table bench_seed (version text, seed json)')
    await client.query('insert into bench_seed values ($1, $2)', [version, JSON.stringify(seed)])
    await client.query('checkpoint')
  })
  return seed
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
