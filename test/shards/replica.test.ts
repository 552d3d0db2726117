import { describe, expect, vi } from 'vitest'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { runCommand, startCommand } from '../command-line/run-command.ts'
import { it } from '../faults/support/it.ts'
import { until } from '../support/receiver.ts'
import { send } from '../support/service.ts'
import { Adjuster } from './support/adjuster.ts'
import { untilState } from './support/moving.ts'
import { isUsed } from './support/two-shards.ts'

// Commands migrate databases, and wait for running processes.
vi.setConfig({ testTimeout: 900_000 })

const ENCRYPTION_KEY = 'encryption key of the tests'

describe('a tenant that moves to the shard with a read replica, and away', () => {
  it('reads from the replica only when that has all of it, and no longer when it is gone', async ({
    startPostgres,
    startStandby,
    startLastingProcess,
    onTestFinished,
  }) => {
    const primary = await startPostgres()
    const env = { DATABASE_URL: primary.url, ENCRYPTION_KEY }
    const cli = (...args: string[]) => runCommand(args, env)
    expect((await cli('shards', 'add', (await startPostgres()).url)).exitCode).toBe(0)
    const standby = await startStandby(primary, 'standby')
    const { tenant_id, api_key: key } = JSON.parse((await cli('tenants', 'create', 'moved', '--shard', '2', '--json')).stdout)
    const server = await startLastingProcess({ ...env, DATABASE_REPLICA_URL: standby.url })
    const call = (method: string, path: string, body?: unknown) => send(`${server.url}/api/v1${path}`, method, body, { key })
    const newest = async (): Promise<string> => (await call('GET', '/stock/movements?limit=1')).body.data.movements[0]?.reason
    const readsOfReplica = async (): Promise<number> => {
      const text = await (await fetch(`${server.url}/metrics`)).text()
      return Number(/^fulfillment_replica_reads_total\{[^}]*target="replica"[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0)
    }
    const directory = openDatabase(primary.url, { exclusiveConnections: 2, pipelinedConnections: 1 })
    onTestFinished(() => directory.close())
    const installation = { db: { 1: directory } }

    await until(() => isUsed(server), 'the server to use both shards')
    const { body } = await call('POST', '/products', { barcode: 'tea', name: 'Tea' })
    expect(body).toMatchObject({ success: true })
    const one = { product_id: body.data.id, location_id: 'A', adjustment_quantity: 1 }
    const caller = new Adjuster('caller', (reason) => call('POST', '/stock/adjustment', { ...one, reason }))
    await expect.poll(() => caller.acknowledged.length).toBeGreaterThan(0)
    await newest()
    expect(await readsOfReplica()).toBe(0)

    const moving = startCommand(['tenants', 'move', String(tenant_id), '--to', '1'], env)
    await untilState(installation, tenant_id, 'switching', moving)
    // What is written between here and the switch is in shard 2, and then in the primary, but not in the replica.
    await standby.query('select pg_wal_replay_pause()')
    await untilState(installation, tenant_id, 'leaving', moving)
    await caller.stop()
    expect(caller.faults).toEqual([])
    expect(await newest()).toBe(caller.acknowledged.at(-1))
    await standby.query('select pg_wal_replay_resume()')
    expect((await moving.ended).exitCode).toBe(0)
    const isReadFromReplica = async (): Promise<boolean> => {
      const before = await readsOfReplica()
      expect(await newest()).toBe(caller.acknowledged.at(-1))
      return (await readsOfReplica()) > before
    }
    await expect.poll(isReadFromReplica).toBe(true)

    expect(await cli('tenants', 'move', String(tenant_id), '--to', '2', '--quiet')).toMatchObject({ exitCode: 0, stderr: '' })
    const { rows } = await primary.query(`select pg_current_wal_lsn() as position`)
    const replayed = async (): Promise<boolean> =>
      (await standby.query(`select pg_last_wal_replay_lsn() >= '${rows[0].position}' as done`)).rows[0].done
    await expect.poll(replayed).toBe(true)
    expect(await isReadFromReplica()).toBe(false)
  })
})
