import pg from 'pg'
import type { ClusterAccess } from './postgres-cluster.ts'

const DATABASE = 'fulfillment'

/** True of the error of a server that is not up yet, or going down, or has no connection to spare. */
export function isPassing(error: Error): boolean {
  return !(error instanceof pg.DatabaseError) || hasCode(error, '57P01', '57P02', '57P03', '53300')
}

/** Makes sure that the application's database can be used. */
export async function makeDatabase(access: ClusterAccess): Promise<void> {
  try {
    await withClient(connectionString(access), async () => {})
  } catch (error) {
    if (!hasCode(error, '3D000')) throw error
    await createDatabase(access)
  }
}

async function createDatabase(access: ClusterAccess): Promise<void> {
  try {
    await withClient(connectionString(access, 'postgres'), (client) =>
      client.query(`create database ${DATABASE} template template0`),
    )
  } catch (error) {
    // Another process that starts at the same time was first.
    if (!hasCode(error, '42P04', '23505')) throw error
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof pg.DatabaseError && codes.includes(error.code ?? '')
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  // A connection that breaks while nothing is asked of it must not end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end()
  }
}

/** Where to connect to, by default in the application's database. */
export function connectionString({ password, port }: ClusterAccess, database = DATABASE): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
}
