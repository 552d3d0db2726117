import { describe, expect, vi } from 'vitest'
import { runCommand } from '../command-line/run-command.ts'
import { it } from '../faults/support/it.ts'
import type { PostgresServer } from '../faults/support/postgres-servers.ts'

// Each command migrates databases, or waits for running processes.
vi.setConfig({ testTimeout: 900_000 })

const ENCRYPTION_KEY = 'encryption key of the tests'

/** A service of two databases of one Postgres, and a tenant in the first. */
async function twoShards(urls: readonly [string, string]) {
  const env = { DATABASE_URL: urls[0], ENCRYPTION_KEY }
  const cli = (...args: string[]) => runCommand(args, env)
  const added = await cli('shards', 'add', urls[1])
  expect([added.exitCode, added.stderr]).toEqual([0, expect.anything()])
  const created = await cli('tenants', 'create', 'moved', '--shard', '1', '--json')
  const id = String(JSON.parse(created.stdout).tenant_id)
  const missing = async (): Promise<string[]> => {
    const { stdout } = await cli('tenants', 'move', id, '--to', '2', '--dry-run', '--json')
    return JSON.parse(stdout).missing
  }
  const move = (sourceUrl = '') => runCommand(['tenants', 'move', id, '--to', '2'], { ...env, SOURCE_DATABASE_URL: sourceUrl })
  return { cli, id, missing, move }
}

async function databases(postgres: PostgresServer, owner: string): Promise<readonly [string, string]> {
  const urls = []
  for (const name of ['one', 'two']) {
    await postgres.query(`create database ${name} owner ${owner}`)
    const url = new URL(postgres.url)
    url.pathname = `/${name}`
    urls.push(url)
  }
  return urls.map(({ href }) => href) as [string, string]
}

describe('a move', () => {
  it('is refused when the Postgres of the present shard does not log what the copy needs', async ({ startPostgres }) => {
    const postgres = await startPostgres({ wal_level: 'replica' })
    const { missing, move } = await twoShards(await databases(postgres, 'postgres'))
    const sentence = 'Shard 1 runs with wal_level = replica, and a move needs logical'
    expect(await missing()).toEqual([expect.stringContaining(sentence)])
    const { exitCode, stderr } = await move()
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(sentence)])
  })

  it('needs no superuser: it names each right that the user lacks, and succeeds with them', async ({ startPostgres }) => {
    const postgres = await startPostgres()
    await postgres.query(`create role mover login password 'secret'`)
    const asMover = (await databases(postgres, 'mover')).map((href) => {
      const url = new URL(href)
      url.username = 'mover'
      url.password = 'secret'
      return url.href
    })
    const { cli, id, missing, move } = await twoShards(asMover as [string, string])
    expect(await missing()).toEqual([
      'The user mover of shard 1 may not set session_replication_role: run grant set on parameter session_replication_role to mover',
      'The user mover of shard 2 may not set session_replication_role: run grant set on parameter session_replication_role to mover',
      'The user mover of shard 1 may not replicate: run alter role mover replication',
      'The user mover of shard 2 may not create subscriptions: run grant pg_create_subscription to mover',
    ])
    const refused = await move()
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('may not replicate')])
    await postgres.query('grant set on parameter session_replication_role to mover')
    await postgres.query('alter role mover replication')
    await postgres.query('grant pg_create_subscription to mover')
    expect(await missing()).toEqual([])
    const wrong = await move('mysql://secret@host')
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/SOURCE_DATABASE_URL: must be a postgres:\/\/ URL\n$/),
    ])
    const moving = move(`${asMover[0]}?application_name=source`)
    const senders = `select from pg_stat_replication where application_name = 'source'`
    await expect.poll(async () => (await postgres.query(senders)).rowCount, { interval: 20 }).toBeGreaterThan(0)
    const moved = await moving
    expect([moved.exitCode, moved.stderr]).toEqual([0, expect.stringContaining('Switched to shard 2')])
    const { tenants } = JSON.parse((await cli('tenants', 'list', '--json')).stdout)
    expect(tenants).toMatchObject([{ tenant_id: Number(id), shard_id: 2 }])
  })
})
