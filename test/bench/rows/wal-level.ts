import { postmasterOf } from '../../faults/support/postgres-processes.ts'
import { type PostgresServer, startPostgres } from '../../faults/support/postgres-servers.ts'
import { compare, type Contender } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import { type ServerProcess, startService } from '../servers.ts'
import { fill } from './several-shards.ts'

/** What `wal_level = logical`, which moves of tenants need, costs a write: two Postgres, with and without it, while no tenant is moved. */
export const walLevel: Row[] = [
  {
    name: 'logical-create-order',
    title: 'POST /orders, wal_level = logical over replica',
    must: 0.97,
    aim: 1,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: logicalOverReplica,
  },
]

async function logicalOverReplica(bench: Bench): Promise<Measurement> {
  const databases: PostgresServer[] = []
  const servers: ServerProcess[] = []
  const contender = async (wal_level: string): Promise<Contender> => {
    const database = await startPostgres({ wal_level })
    databases.push(database)
    const { written } = await fill(database.url)
    const server = await startService(database.url, bench)
    servers.push(server)
    const plan = { kind: 'createOrder', products: 600 } as const
    return { ...server, apiKey: written.key, plan, postmasterPid: postmasterOf(database.dataDir) }
  }
  try {
    return await compare(bench, await contender('logical'), await contender('replica'))
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    for (const database of databases) await database.remove()
  }
}
