import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openDatabase, type Database } from '@fulfillment/server/database/database.ts'

/** The migrated database that the database of every test file is copied from. */
export const TEMPLATE = 'fulfillment_template'

/** A new database; one of the same name is dropped first. */
export async function createDatabase(postgresUrl: string, name: string): Promise<string> {
  await administer(postgresUrl, `drop database if exists ${name} with (force)`, `create database ${name}`)
  return urlOf(postgresUrl, name)
}

/** A copy of the template, for one test file. */
export async function cloneDatabase(postgresUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(postgresUrl, `create database ${name} template ${TEMPLATE} strategy file_copy`)
  return { url: urlOf(postgresUrl, name), drop: () => administer(postgresUrl, `drop database ${name} with (force)`) }
}

/** A migrated database and few connections to it. */
export interface TestDatabase {
  url: string
  db: Database
  /** Closes the connections and drops the database. */
  drop(): Promise<void>
}

/** Opens a copy of the template. */
export async function openTestDatabase(postgresUrl: string): Promise<TestDatabase> {
  const { url, drop } = await cloneDatabase(postgresUrl)
  const db = openDatabase(url, { exclusiveConnections: 2, pipelinedConnections: 1 })
  return {
    url,
    db,
    drop: async () => {
      await db.close()
      await drop()
    },
  }
}

/** Drops a database and ends its connections. */
export function dropDatabase(url: string): Promise<void> {
  return administer(url, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
}

/** Sets whether a database accepts new connections. Open connections stay. */
export function allowConnections(url: string, allow: boolean): Promise<void> {
  return administer(url, `alter database ${new URL(url).pathname.slice(1)} allow_connections ${allow}`)
}

async function administer(postgresUrl: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(postgresUrl, 'postgres') })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

function urlOf(postgresUrl: string, database: string): string {
  const url = new URL(postgresUrl)
  url.pathname = `/${database}`
  return url.href
}
