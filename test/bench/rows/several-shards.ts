import pg from 'pg'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { migrate } from '@fulfillment/server/database/migrate.ts'
import { maintainAllPartitions } from '@fulfillment/server/maintenance.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { addShard } from '@fulfillment/server/shards/change-shards.ts'
import { openShards } from '@fulfillment/server/shards/open-shards.ts'
import { createDatabase, dropDatabase } from '../../support/test-database.ts'
import type { RequestPlan } from '../load/requests.ts'
import { compare, type Contender } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import { seedService } from '../seed/seed-service.ts'
import { SHORT, type Seed } from '../seed/seed.ts'
import { ENCRYPTION_KEY, startService, type ServerProcess } from '../servers.ts'

/** The calls of a tenant of the directory. */
const PLANS: Record<string, { title: string; plan: (seed: Seed['service']) => RequestPlan; tenant: 'large' | 'written' }> = {
  'three-shards-get-order': {
    title: 'GET /orders/{id}, three shards over one',
    plan: ({ orders }) => ({ kind: 'getOrder', ids: orders }),
    tenant: 'large',
  },
  'three-shards-adjust-stock': {
    title: 'POST /stock/adjustment, three shards over one',
    plan: ({ writtenProducts }) => ({ kind: 'adjustStock', ids: writtenProducts }),
    tenant: 'written',
  },
}

/**
 * Rows that compare a service of three shards with one of a single database: the same calls to equal tenants of the directory, while the
 * other shards are idle. All databases are new ones of the Postgres of the benchmark.
 */
export const severalShards: Row[] = Object.entries(PLANS).map(([name, { title, plan, tenant }]) => ({
  name,
  title,
  must: 0.97,
  aim: 1,
  higherIsBetter: true,
  unit: 'requests/s',
  measure: (bench) => threeOverOne(bench, (seed) => ({ apiKey: seed[tenant].key, plan: plan(seed) })),
}))

async function threeOverOne(
  bench: Bench,
  loadOf: (seed: Seed['service']) => Pick<Contender, 'apiKey' | 'plan'>,
): Promise<Measurement> {
  const made: string[] = []
  const servers: ServerProcess[] = []
  const newDatabase = async (name: string): Promise<string> => {
    const url = await createDatabase(bench.database.url, `bench_${name}`)
    made.push(url)
    return url
  }
  const contender = async (directory: string): Promise<Contender> => {
    const load = loadOf(await fill(directory))
    const server = await startService(directory, bench)
    servers.push(server)
    return { ...server, ...load }
  }
  try {
    const directory = await newDatabase('directory')
    const three = await contender(directory)
    await addShards(directory, [await newDatabase('shard_2'), await newDatabase('shard_3')])
    return await compare(bench, three, await contender(await newDatabase('single')))
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    for (const url of made) await dropDatabase(url)
  }
}

/** Fills a new database with the short seed. */
export async function fill(url: string): Promise<Seed['service']> {
  const db = openDatabase(url, { exclusiveConnections: 2, pipelinedConnections: 1 })
  const client = new pg.Client({ connectionString: url })
  try {
    await db.withoutTimeLimits(migrate)
    await maintainAllPartitions(db)
    await client.connect()
    await client.query('set session_replication_role = replica')
    const seed = await seedService(db, client, SHORT)
    await client.query('vacuum (freeze, analyze)')
    return seed
  } finally {
    await client.end()
    await db.close()
  }
}

/** Adds the shards while the server runs, which uses them before the warm-up is over. */
async function addShards(directory: string, urls: readonly string[]): Promise<void> {
  const db = openDatabase(directory, { exclusiveConnections: 2, pipelinedConnections: 1 })
  try {
    for (const url of urls) {
      const shards = await openShards(db, createEncryption(ENCRYPTION_KEY), (line) => console.log(line))
      await addShard(shards, url)
      await shards.close()
    }
  } finally {
    await db.close()
  }
}
