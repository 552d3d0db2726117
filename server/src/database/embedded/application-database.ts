import pg from 'pg'
import type { ClusterAccess } from './postgres-cluster.ts'

const DATABASE = 'fulfillment'

/** True for the error of a server that is starting, stopping, or out of connections. */
export function isPassing(error: Error): boolean {
  return !(error instanceof pg.DatabaseError) || hasCode(error, '57P01', '57P02', '57P03', '53300')
}

/** Creates the application's database unless it exists. */
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
    // Another process created it at the same time.
    if (!hasCode(error, '42P04', '23505')) throw error
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof pg.DatabaseError && codes.includes(error.code ?? '')
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  // Without a listener, an idle connection that breaks would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end()
  }
}

/** The connection string of a database, by default the application's. */
export function connectionString({ password, port }: ClusterAccess, database = DATABASE): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
}
