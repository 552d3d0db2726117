import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, vi } from 'vitest'
import { verifyWebhookSync } from '@fulfillment/sdk/webhooks/node'
import { expectNothingLost } from '../faults/support/nothing-lost.ts'
import { send } from '../support/service.ts'
import { signedIn } from '../web/support/page-client.ts'
import { Adjuster } from './support/adjuster.ts'
import { it, killCommand, leftBehind, rowsOf, stateOf, succeed, untilState } from './support/moving.ts'

// Its servers and commands are processes of their own, and start in the first tests.
vi.setConfig({ testTimeout: 900_000 })

const REVOKED_MS = 1_000

describe('a tenant under load', () => {
  it('moves to another shard, though the command is killed at every step', async ({
    installation,
    loaded,
    feed,
    startReceiver,
  }) => {
    const { startCli, cli, servers } = installation
    const { tenant, load } = loaded
    const move = ['tenants', 'move', String(tenant.id), '--to', '2']
    expect((await succeed(cli(...move, '--dry-run', '--json'))).stdout).toContain('"missing":[]')
    expect(await stateOf(installation, tenant.id)).toBe('settled')

    const own = await startReceiver()
    const subscription = { name: 'signed', url: own.url, events: ['product/created'] }
    const { secret, id: webhook } = (await tenant.request('POST', '/webhooks', subscription)).body.data
    const page = await signedIn(tenant.url, tenant.key)
    const test = (await tenant.request('POST', '/api-keys', { name: 'test', preset: 'full_access', mode: 'test' })).body.data.key
    const inSandbox = (method: string, path: string, body?: unknown) =>
      send(`${servers[1]?.url}/api/v1${path}`, method, body, { key: test })
    await inSandbox('POST', '/products', { barcode: 'sand', name: 'Sand' })
    const keyed = () =>
      tenant.request('POST', '/products', { barcode: 'once', name: 'Once' }, { headers: { 'idempotency-key': 'once' } })
    const first = await keyed()

    for (const step of ['copying', 'switching', 'leaving']) {
      const mover = startCli(...move)
      await untilState(installation, tenant.id, step, mover)
      // In the middle of it.
      await delay(step === 'copying' ? 2_000 : 350)
      await killCommand(mover)
    }
    await succeed(cli(...move))
    expect(await stateOf(installation, tenant.id)).toBe('settled')
    expect(await rowsOf(installation, 1, tenant.id)).toEqual({})
    expect(await leftBehind(installation)).toEqual([])
    expect([...load.faults, ...feed.faults]).toEqual([])

    const again = await keyed()
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body])
    expect((await inSandbox('GET', '/products')).body.data.pagination.total).toBe(1)
    expect((await page.call('GET', '/products')).status).toBe(200)
    await tenant.request('POST', '/products', { barcode: 'later', name: 'Later' })
    await expect.poll(() => own.received.map(({ event }) => event.data.barcode)).toContain('later')
    for (const { body, headers } of own.received) verifyWebhookSync(body, String(headers['x-webhook-signature']), secret)
    // Its receiver ends with this test.
    await tenant.request('DELETE', `/webhooks/${webhook}`)
    const listed = JSON.parse((await succeed(cli('tenants', 'list', '--json'))).stdout).tenants
    expect(listed.filter(({ tenant_id }: { tenant_id: number }) => tenant_id === tenant.id)).toMatchObject([{ shard_id: 2 }])
  })

  it('keeps its keys, and those that are revoked are refused within a second by every process', async ({
    installation,
    loaded,
  }) => {
    const { cli, servers } = installation
    const { tenant } = loaded
    const { id, key } = (await tenant.request('POST', '/api-keys', { name: 'leaked', preset: 'read_only' })).body.data
    expect(key).toMatch(new RegExp(`_${tenant.id.toString(36)}$`))
    const read = async (url: string | undefined) => (await send(`${url}/api/v1/products`, 'GET', undefined, { key })).status
    for (const { url } of servers) expect(await read(url)).toBe(200)
    await succeed(cli('keys', 'revoke', String(id), '--tenant', String(tenant.id)))
    const until1s = performance.now() + REVOKED_MS
    for (const { url } of servers) while ((await read(url)) === 200) expect(performance.now()).toBeLessThan(until1s)
    for (const { url } of servers) expect(await read(url)).toBe(401)
    const unknown = `service_live_${'x'.repeat(43)}`
    expect((await send(`${servers[1]?.url}/api/v1/products`, 'GET', undefined, { key: unknown })).status).toBe(401)
  })

  it('is served again when the command dies in the switch, and stays where it is when the move is given up', async ({
    installation,
    loaded,
    feed,
  }) => {
    const { startCli, cli } = installation
    const { tenant, load } = loaded
    const mover = startCli('tenants', 'move', String(tenant.id), '--to', '1')
    await untilState(installation, tenant.id, 'switching', mover)
    await killCommand(mover)
    // By the servers.
    await untilState(installation, tenant.id, 'copying')
    const stopped = load.acknowledged
    await expect.poll(() => load.acknowledged).toBeGreaterThan(stopped)
    await succeed(cli('tenants', 'move', String(tenant.id), '--abort'))
    expect(await rowsOf(installation, 1, tenant.id)).toEqual({})
    expect(await leftBehind(installation)).toEqual([])
    const before = load.acknowledged
    await expect.poll(() => load.acknowledged).toBeGreaterThan(before)
    expect([...load.faults, ...feed.faults]).toEqual([])
  })

  it('moves back while one server sleeps and another is killed, and nothing is lost', async ({ installation, loaded, feed }) => {
    const { startCli, cli, db, servers, start } = installation
    const { tenant } = loaded
    const product = (await tenant.request('POST', '/products', { barcode: 'slept', name: 'Slept' })).body.data
    const sleeper = servers[1] as (typeof servers)[number]
    const adjusters = Array.from(
      { length: 4 },
      (_, n) =>
        new Adjuster(
          `slept-${n}`,
          (reason) =>
            send(
              `${sleeper.url}/api/v1/stock/adjustment`,
              'POST',
              { product_id: product.id, location_id: 'A', adjustment_quantity: 1, reason },
              { key: tenant.key },
            ),
          { thinkMs: 20 },
        ),
    )
    const mover = startCli('tenants', 'move', String(tenant.id), '--to', '1', '--json')
    await untilState(installation, tenant.id, 'copying', mover)
    await servers[0]?.end('SIGKILL')
    await start(0)
    await untilState(installation, tenant.id, 'switching', mover)
    sleeper.child.kill('SIGSTOP')
    await untilState(installation, tenant.id, 'leaving', mover)
    sleeper.child.kill('SIGCONT')
    const { exitCode, stdout, stderr } = await mover.ended
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Switched to shard 1')])
    expect(JSON.parse(stdout)).toMatchObject({ tenant_id: tenant.id, from: 2, to: 1 })
    expect(JSON.parse(stdout).pause_ms).toBeGreaterThan(0)
    await delay(1_000)
    for (const adjuster of adjusters) await adjuster.stop()
    expect(adjusters.flatMap(({ faults }) => faults)).toEqual([])
    expect(await rowsOf(installation, 2, tenant.id)).toEqual({})
    expect(await leftBehind(installation)).toEqual([])
    const { rows } = await db[1].dedicatedPool.query(
      `select reason from stock_movements where tenant_id = $1 and reason like 'slept-%' order by reason`,
      [tenant.id],
    )
    const kept = rows.map(({ reason }) => reason)
    expect(new Set(kept).size).toBe(kept.length)
    expect(adjusters.flatMap(({ acknowledged }) => acknowledged).filter((reason) => !kept.includes(reason))).toEqual([])
    expect((await succeed(cli('shards', 'list', '--json'))).stdout).toContain('"tenants":0')
    await expectNothingLost({ ...loaded, db: db[1] }, { endsLeases: true, withinMs: 60_000 })
    await feed.expectAll(db[1], tenant.id)
  })
})
