import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, vi } from 'vitest'
import { runCommand, startCommand } from '../command-line/run-command.ts'
import { it as base } from '../faults/support/it.ts'
import type { PostgresServer } from '../faults/support/postgres-servers.ts'

vi.setConfig({ testTimeout: 300_000 })

const ENCRYPTION_KEY = 'encryption key of the tests'
/** Postgres tries again every 5 seconds, and the command looks for lost tables every 10. */
const NOTED = { timeout: 60_000, interval: 50 }

/** `it` with two shards, each a Postgres of its own, and no server. */
const it = base.extend('shards', { scope: 'file' }, async ({ startPostgres }) => {
  const [source, target] = (await Promise.all([startPostgres(), startPostgres()])) as [PostgresServer, PostgresServer]
  const env = { DATABASE_URL: source.url, ENCRYPTION_KEY }
  const cli = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runCommand(args, env)
    if (exitCode !== 0) throw new Error(stderr)
    return stdout
  }
  await cli('shards', 'add', target.url)
  return {
    source,
    target,
    /** A new tenant with an API key. */
    async newTenant(shard: 1 | 2): Promise<number> {
      return JSON.parse(await cli('tenants', 'create', 'tea shop', '--shard', String(shard), '--json')).tenant_id
    },
    /** Begins to move a tenant to shard 2. `noted` is what the command says, so far. */
    move(tenantId: number) {
      const { child, ended } = startCommand(['tenants', 'move', String(tenantId), '--to', '2'], env)
      let said = ''
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
      return { ended, noted: () => said }
    },
  }
})

const isMoved = async ({ query }: PostgresServer, tenantId: number): Promise<boolean> =>
  (await query(`select from api_keys where tenant_id = ${tenantId} and revoked_at is null`)).rowCount === 1

describe('the copy of a tenant', () => {
  it('begins again when a crash of the target has lost that a table was up to date', async ({ shards }) => {
    const { source, target, newTenant, move } = shards
    const tenantId = await newTenant(1)
    const moving = move(tenantId)
    const row = `srrelid = 'api_keys'::regclass and srsubstate = 'r'`
    await expect.poll(async () => (await target.query(`select from pg_subscription_rel where ${row}`)).rowCount, NOTED).toBe(1)
    // Its slot in the source is gone. A crash would take the target back to when it still needed that.
    await target.query(`set allow_system_table_mods = on; update pg_subscription_rel set srsubstate = 'f' where ${row}`)
    await expect.poll(moving.noted, NOTED).toContain('beginning again')
    const { exitCode, stderr } = await moving.ended
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Switched to shard 2')])
    expect([await isMoved(source, tenantId), await isMoved(target, tenantId)]).toEqual([false, true])
  })

  it('tells where Postgres says why it fails, and goes on when it no longer does', async ({ shards }) => {
    const { source, target, newTenant, move } = shards
    const [tenantId, other] = [await newTenant(1), await newTenant(2)]
    // Two API keys cannot be the same.
    const { rows } = await source.query(`select key_hash from api_keys where tenant_id = ${tenantId}`)
    const hash = rows[0].key_hash.toString('hex')
    await target.query(`update api_keys set key_hash = '\\x${hash}' where tenant_id = ${other}`)
    const moving = move(tenantId)
    await expect.poll(moving.noted, NOTED).toContain('Postgres of shard 2 reports errors of the copy of api_keys')
    const [show, hide] = /(alter database \S+ set .* = error) there, and (alter database .*) afterwards/
      .exec(moving.noted())!
      .slice(1) as [string, string]
    const log = (): Promise<string> => readFile(path.join(target.dataDir, 'postgres.log'), 'utf8')
    expect(await log()).not.toContain('api_keys_key_hash_key')
    await target.query(show)
    await expect.poll(log, NOTED).toContain('violates unique constraint "api_keys_key_hash_key"')
    await target.query(hide)
    await target.query(`delete from api_keys where tenant_id = ${other}`)
    const { exitCode, stderr } = await moving.ended
    expect([exitCode, stderr.match(/reports errors/g)]).toEqual([0, ['reports errors']])
    expect([await isMoved(source, tenantId), await isMoved(target, tenantId)]).toEqual([false, true])
  })
})
