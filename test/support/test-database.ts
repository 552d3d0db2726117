import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** The migrated database that every test file's own is a copy of. */
export const TEMPLATE = 'fulfillment_template'

/** A new database; one of the same name is dropped first. */
export async function createDatabase(postgresUrl: string, name: string): Promise<string> {
  await administer(postgresUrl, `drop database if exists ${name} with (force)`, `create database ${name}`)
  return urlOf(postgresUrl, name)
}

/** A copy of the template, for one test file. */
export async function cloneDatabase(postgresUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(postgresUrl, `create database ${name} template ${TEMPLATE}`)
  return { url: urlOf(postgresUrl, name), drop: () => administer(postgresUrl, `drop database ${name} with (force)`) }
}

/** Drops a database, whoever is connected to it. */
export function dropDatabase(url: string): Promise<void> {
  return administer(url, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
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
