import pg from 'pg'

export interface NewDatabase {
  url: string
  drop(): Promise<void>
}

let made = 0

/** Copies a database inside its cluster. The database must have no connections. */
export async function newDatabase(template: string): Promise<NewDatabase> {
  const source = new URL(template).pathname.slice(1)
  const name = `neighbours_${++made}`
  const admin = new URL(template)
  admin.pathname = '/postgres'
  await run(admin.href, `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(source)}`)
  const url = new URL(template)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(admin.href, `drop database ${pg.escapeIdentifier(name)} with (force)`) }
}

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
