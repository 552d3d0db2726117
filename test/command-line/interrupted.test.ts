import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { describe, expect, vi } from 'vitest'
import { startEmbeddedPostgres } from '@fulfillment/server/database/embedded/embedded-postgres.ts'
import { it as base } from '../support/it.ts'
import { runCommand, startCommand } from './run-command.ts'

const WAITING = { timeout: 60_000, interval: 5 }
/** A row of `tenants` takes this long in the tests, so that a command is interrupted within its transaction. */
const SLOWLY = `
  create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return new; end $$;
  create trigger slowly before insert on tenants for each row execute function slowly()`

const it = base.extend('pidFile', ({ folder }, { onCleanup }) => {
  const pidFile = path.join(folder, 'postgres/postmaster.pid')
  onCleanup(async () => {
    if (existsSync(pidFile)) process.kill(Number((await readFile(pidFile, 'utf8')).split('\n')[0]), 'SIGQUIT')
  })
  return pidFile
})

/** What a command says before it makes a database. */
const creating = (folder: string): string => `${folder} has no database yet, and DATABASE_URL is not set: creating one\n`

describe('a command that started Postgres stops it', () => {
  it.for(['SIGINT', 'SIGHUP'] as const)(
    'when it is interrupted while Postgres starts, by %s',
    async (signal, { folder, pidFile }) => {
      const { child, ended } = startCommand(['tenants', 'create', 'Tea'], { DATA_DIR: folder })
      await vi.waitFor(() => expect(existsSync(pidFile)).toBe(true), WAITING)
      child.kill(signal)
      // A terminal that ends can send it twice.
      if (signal === 'SIGHUP') child.kill(signal)
      expect(await ended).toEqual({ exitCode: 130, stdout: '', stderr: `${creating(folder)}\nStopping\n` })
      expect(existsSync(pidFile)).toBe(false)
    },
  )

  it('when it is ended within a transaction', async ({ folder, pidFile }) => {
    await runCommand(['migrate'], { DATA_DIR: folder })
    const postgres = await startEmbeddedPostgres({ dataDir: folder })
    const query = async (sql: string) => {
      const client = new pg.Client({ connectionString: postgres.connectionString })
      try {
        await client.connect()
        return (await client.query(sql)).rows
      } finally {
        await client.end()
      }
    }
    await query(SLOWLY)
    await postgres.stop()

    const { child, ended } = startCommand(['tenants', 'create', 'Tea'], { DATA_DIR: folder })
    const sleeping = () => query(`select from pg_stat_activity where wait_event = 'PgSleep'`)
    await vi.waitFor(async () => expect(await sleeping()).toHaveLength(1), WAITING)
    child.kill('SIGTERM')
    expect(await ended).toEqual({ exitCode: 130, stdout: '', stderr: '\nStopping\n' })
    expect(existsSync(pidFile)).toBe(false)
  })
})
