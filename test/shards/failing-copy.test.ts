import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, vi } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import { hasLostTables } from '@fulfillment/server/shards/move/replication.ts'
import { connectTo, type Move, type Side } from '@fulfillment/server/shards/move/side.ts'
import { runCommand, startCommand } from '../command-line/run-command.ts'
import { it as base } from '../faults/support/it.ts'
import type { PostgresServer } from '../faults/support/postgres-servers.ts'
import { SLOW_DISK } from './support/moving.ts'

vi.setConfig({ testTimeout: 300_000 })

const ENCRYPTION_KEY = 'encryption key of the tests'
/** Postgres tries again every 5 seconds, and the command looks for lost tables every 10. */
const NOTED = { timeout: 60_000, interval: 50 }

/** `it` with two shards, each a Postgres of its own, and no server. */
const it = base.extend('shards', { scope: 'file' }, async ({ startPostgres }) => {
  const [source, target] = await Promise.all([startPostgres(), startPostgres(SLOW_DISK)])
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
    cli,
    /** A new tenant with an API key. */
    async newTenant(shard: 1 | 2): Promise<number> {
      return JSON.parse(await cli('tenants', 'create', 'tea shop', '--shard', String(shard), '--json')).tenant_id
    },
    /** Begins to move a tenant to shard 2. `noted` is what the command says, so far. */
    move(tenantId: number) {
      const { child, ended } = startCommand(['tenants', 'move', String(tenantId), '--to', '2'], env)
      let said = ''
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
      return { child, ended, noted: () => said }
    },
  }
})

/** Whether the tenant's key is valid in the shard. */
const isIn = async ({ query }: PostgresServer, tenantId: number): Promise<boolean> =>
  (await query(`select from api_keys where tenant_id = ${tenantId} and revoked_at is null`)).rowCount === 1

/** A connection to a shard, as a move has it. */
async function connected(id: number, { url }: PostgresServer): Promise<Side> {
  const db = { url } as Database
  return { id, db, client: await connectTo(db) }
}

const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

describe('the copy of a tenant', () => {
  it('is not given up while it makes progress', async ({ shards, onTestFinished }) => {
    const tenantId = await shards.newTenant(1)
    const [source, target] = [await connected(1, shards.source), await connected(2, shards.target)]
    onTestFinished(async () => void (await Promise.all([source, target].map(({ client }) => client.end()))))
    const moving = shards.move(tenantId)
    await expect.poll(moving.noted, NOTED).toMatch(/Copied \d+ of/)
    const copy: Move = { tenantId, ids: [tenantId, 0], name: `fulfillment_move_${tenantId}_1`, epoch: 1, source, target }
    let looks = 0
    for (; !/Copied \d+ tables/.test(moving.noted()); looks++) {
      expect(await hasLostTables(copy)).toBe(false)
      await delay(20)
    }
    expect(looks).toBeGreaterThan(0)
    expect((await moving.ended).exitCode).toBe(0)
  })

  it('has its rows of past days in partitions of these days, in a shard that is younger', async ({ shards }) => {
    const { source, target, newTenant, move } = shards
    const tenantId = await newTenant(1)
    const [old, older] = [dayBefore(20), dayBefore(40)]
    const withoutHyphens = (day: string): string => day.replaceAll('-', '')
    // Of the two days of the audit log, the source has no partitions.
    await source.query(`
      create table events_${withoutHyphens(old)} partition of events for values from ('${old} 00:00:00+00') to ('${dayBefore(19)} 00:00:00+00');
      insert into events (tenant_id, id, topic, body, created_at)
      select ${tenantId}, 'evt_1' || lpad(n::text, 23, '0'), 'product/created', '{}', '${old} 12:00:00+00' from generate_series(1, 3) n;
      insert into audit_log (tenant_id, at, id, key_id, key_name, address, request_id, operation, input)
      select ${tenantId}, day::timestamptz, gen_random_uuid(), 1, 'key', '127.0.0.1', 'request', 'stock.adjust', '{}'
      from unnest(array['${old} 23:59:59+00', '${older} 00:00:00+00']) day`)
    expect((await move(tenantId).ended).exitCode).toBe(0)
    const partitionsWith = async (table: string, condition: string): Promise<string[]> => {
      const { rows } = await target.query(
        `select tableoid::regclass::text as name from ${table} where tenant_id = ${tenantId} and ${condition} order by 1`,
      )
      return rows.map(({ name }) => name)
    }
    expect(await partitionsWith('events', `topic = 'product/created'`)).toEqual(
      Array.from({ length: 3 }, () => `events_${withoutHyphens(old)}`),
    )
    expect(await partitionsWith('audit_log', `operation = 'stock.adjust'`)).toEqual(
      [older, old].map((day) => `audit_log_${withoutHyphens(day)}`),
    )
  })

  it('is not switched to when a migration has made a table since it began', async ({ shards }) => {
    const { source, target, cli, newTenant, move } = shards
    const tenantId = await newTenant(1)
    const killed = move(tenantId)
    await expect.poll(killed.noted, NOTED).toMatch(/Copied \d+ of/)
    killed.child.kill('SIGKILL')
    await killed.ended
    for (const { query } of [source, target]) await query('create table later (tenant_id bigint, id bigint primary key)')
    await source.query(`insert into later values (${tenantId}, 1)`)
    const { exitCode, stderr } = await move(tenantId).ended
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The schema has changed since the move began')])
    await cli('tenants', 'move', String(tenantId), '--abort')
    expect([await isIn(source, tenantId), (await source.query('select from later')).rowCount]).toEqual([true, 1])
    for (const { query } of [source, target]) await query('drop table later')
  })

  it('is switched to when a transaction that keeps an id of the target ends, and nobody else waits for that', async ({
    shards,
    onTestFinished,
  }) => {
    const { source, target, newTenant, move } = shards
    const tenantId = await newTenant(1)
    await source.query(`select setval('event_sequence', 1000000)`)
    const { client: holder } = await connected(2, target)
    onTestFinished(() => holder.end())
    await holder.query(`begin; select nextval('event_sequence')`)
    const moving = move(tenantId)
    await expect
      .poll(moving.noted, NOTED)
      .toContain('Not switched yet: a transaction in shard 2 has taken an id and does not end')
    await target.query(`set statement_timeout = '10s'; select nextval('event_sequence')`)
    await holder.query('commit')
    expect((await moving.ended).exitCode).toBe(0)
    expect(Number((await target.query(`select nextval('event_sequence') as id`)).rows[0].id)).toBeGreaterThan(1_000_000)
  })

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
    expect([await isIn(source, tenantId), await isIn(target, tenantId)]).toEqual([false, true])
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
    expect([await isIn(source, tenantId), await isIn(target, tenantId)]).toEqual([false, true])
  })
})
