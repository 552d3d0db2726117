import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { insertApiKey } from '../../server/src/api-keys/index.ts'
import { readConfig } from '../../server/src/config.ts'
import type { Database } from '../../server/src/database/database.ts'
import { migrate } from '../../server/src/database/migrate.ts'
import { startServer } from '../../server/src/server.ts'
import { send } from '../support/service.ts'
import { dropDatabase } from '../support/test-database.ts'
import { databaseAt, fill, fingerprint, readMigration, ROWS } from './support/old-database.ts'
import { startOldTraffic } from './support/old-traffic.ts'
import { RELEASED, RELEASED_MIGRATIONS } from './support/released-migrations.ts'

/** Far above what a statement takes on a busy machine, far below what a migration may run or wait. */
const LONGEST_WAIT_MS = 1_500

const folder = new URL('../../server/src/database/migrations/', import.meta.url)

async function oldDatabase(migrations: readonly string[]): Promise<{ url: string; db: Database }> {
  const database = await databaseAt(migrations)
  onTestFinished(async () => {
    await database.db.close()
    await dropDatabase(database.url)
  })
  return database
}

async function startCurrent(databaseUrl: string) {
  const settings = { PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0', ENCRYPTION_KEY: 'encryption key of the tests' }
  const server = await startServer({ ...readConfig(settings), databaseUrl })
  onTestFinished(() => server.stop())
  return server
}

describe('a released migration', () => {
  it.each(Object.entries(RELEASED_MIGRATIONS))('%s is as it was released', async (name, sha256) => {
    expect(
      createHash('sha256')
        .update(await readMigration(name))
        .digest('hex'),
    ).toBe(sha256)
  })

  it('comes before every one that is not', async () => {
    const names = (await readdir(folder)).map((file) => file.replace('.sql', '')).toSorted()
    const released = Object.keys(RELEASED_MIGRATIONS)
    expect(names.slice(0, released.length)).toEqual(released)
  })
})

describe('an upgrade while old servers run', () => {
  it.each(Object.keys(RELEASED) as (keyof typeof RELEASED)[])(
    'from %s holds up nothing, keeps every row, and the new version goes on with them',
    async (release) => {
      const { url, db } = await oldDatabase(Object.keys(RELEASED[release]))
      await fill(db)
      const before = await fingerprint(db)
      const traffic = await startOldTraffic(url)
      await delay(300)
      const server = await startCurrent(url)
      await delay(300)
      const { orders, movements, reads, slowestMs } = await traffic.stop()
      expect(slowestMs).toBeLessThan(LONGEST_WAIT_MS)
      expect(Math.min(orders, movements, reads)).toBeGreaterThan(20)
      expect(await fingerprint(db)).toEqual(before)

      const { key } = await insertApiKey(db, 1, 'live', { name: 'test key', scopes: ['admin'] })
      const get = async (path: string) => (await send(`${server.url}/api/v1${path}`, 'GET', undefined, { key })).body.data
      expect((await get('/orders?limit=1')).pagination.total).toBe(ROWS.orders + orders)
      expect((await get('/stock/movements?limit=1')).pagination.total).toBe(ROWS.stock_movements + movements)
      expect(await get('/stock/reconcile')).toMatchObject({ is_balanced: true })
    },
  )

  it('that can not get its lock lets the others pass until it can', async () => {
    // The next one alters order_lines, which everybody uses.
    const { url, db } = await oldDatabase(['0001_initial', '0002_webhooks'])
    await fill(db)
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    onTestFinished(() => reader.end())
    await reader.query('begin; select from order_lines limit 1')
    const traffic = await startOldTraffic(url)
    const waits: string[] = []
    const migrated = db.unhurried((kysely) => migrate(kysely, (line) => waits.push(line)))
    await expect.poll(() => waits.length, { timeout: 10_000 }).toBeGreaterThan(1)
    await reader.query('commit')
    expect(await migrated).toContain('0003_picking')
    const { slowestMs } = await traffic.stop()
    expect(slowestMs).toBeLessThan(LONGEST_WAIT_MS)
    expect(waits[0]).toBe('Migration 0003_picking waits for a lock and will be tried again')
  })
})

describe('a schema that is newer than the program', () => {
  const executed = async (...names: string[]) => {
    const database = await oldDatabase([])
    await database.db.unhurried(migrate)
    for (const name of names)
      await database.db.pool.query('insert into schema_migrations (name, timestamp) values ($1, now()::text)', [name])
    return database
  }

  it('is used as it is when the new migrations only added to it', async () => {
    const { url, db } = await executed('9998_new_table')
    const lines: string[] = []
    expect(await db.unhurried((kysely) => migrate(kysely, (line) => lines.push(line)))).toEqual([])
    expect(lines).toEqual(['The database schema is newer than this version, and fits it still: 9998_new_table'])
    const server = await startCurrent(url)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  })

  it('is refused when one of them took something away', async () => {
    const { url } = await executed('9998_new_table', '9999_old_column.contract')
    await expect(startCurrent(url)).rejects.toThrow(
      'The database schema is too new for this version, which needs what 9999_old_column.contract took away: start the newer version, or restore a backup from before the upgrade',
    )
  })

  it('is refused when it lacks a migration of the program', async () => {
    const { url, db } = await executed('9998_new_table')
    await db.pool.query(`delete from schema_migrations where name = '0004_trust'`)
    await expect(startCurrent(url)).rejects.toThrow('it has 9998_new_table and lacks 0004_trust')
  })
})

it('processes that start at once run each migration once', async () => {
  const { db } = await oldDatabase(['0001_initial'])
  const ran = await Promise.all([1, 2, 3].map(() => db.unhurried(migrate)))
  const names = (await readdir(folder)).map((file) => file.replace('.sql', '')).toSorted()
  expect(ran.flat().toSorted()).toEqual(names.slice(1))
})
