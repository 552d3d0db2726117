import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { verifyWebhookSync } from '@fulfillment/sdk/webhooks/node'
import { runCommand } from '../command-line/run-command.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/receiver.ts'
import { send, type TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { ENCRYPTION_KEY, it as base } from './support/two-shards.ts'

// The servers of the tests deliver webhooks, and not `service`.
const it = base.extend('settings', { scope: 'file' }, { role: 'api' as const })

const NEW_KEY = 'the encryption key from now on'

/** Sends requests over separate connections, which the processes get in turn. */
const statuses = (url: string, key: string, times = 12): Promise<number[]> =>
  Promise.all(
    Array.from({ length: times }, async () => {
      const options = { key, headers: { connection: 'close' } }
      return (await send(`${url}/api/v1/products`, 'GET', undefined, options)).status
    }),
  )

const subscribe = async (tenant: TestTenant, url: string): Promise<{ id: string; secret: string }> =>
  (await tenant.request('POST', '/webhooks', { name: 'shop', url, events: ['product/created'] })).body.data

describe('two processes behind one port', () => {
  it('serve the tenants of all shards, deliver once, and refuse a revoked key', async ({
    tenant,
    neighbour,
    env,
    receiver,
    startReceiver,
    startProcess,
  }) => {
    const foreign = await startReceiver()
    await subscribe(tenant, receiver.url)
    await subscribe(neighbour, foreign.url)
    const group = await startProcess({ ...env, PROCESSES: '2' })
    const metrics = async (): Promise<string> => await (await fetch(`${group.url}/metrics`)).text()
    await until(async () => /^fulfillment_processes 2$/m.test(await metrics()), 'the second process')
    for (const { key } of [tenant, neighbour]) expect(await statuses(group.url, key)).toEqual(Array(12).fill(200))
    expect((await metrics()).match(/^fulfillment_database_up\{.*shard="2".*\} 1$/gm)).toHaveLength(2)

    for (let index = 0; index < 6; index++)
      for (const one of [tenant, neighbour]) await newProduct({ ...one, url: group.url }, { name: `Tea ${index}` })
    for (const { received, count } of [receiver, foreign]) {
      await count(6)
      expect(new Set(received.map(({ event }) => event.id)).size).toBe(6)
    }

    const { id, key } = (await tenant.request('POST', '/api-keys', { name: 'leaked', preset: 'read_only' })).body.data
    expect(await statuses(group.url, key)).toEqual(Array(12).fill(200))
    await tenant.request('DELETE', `/api-keys/${id}`)
    // Every process refuses a revoked key from then on.
    await delay(1_000)
    expect(await statuses(group.url, key)).toEqual(Array(12).fill(401))
    expect(receiver.received).toHaveLength(6)
  })

  it('let through exactly the limit of a key together', async ({ tenant, env, startProcess }) => {
    const group = await startProcess({ ...env, PROCESSES: '2', RATE_LIMIT_PER_MINUTE: '20' })
    const all = await statuses(group.url, tenant.key, 50)
    expect(new Set(all)).toEqual(new Set([200, 429]))
    // The test may run into the next minute.
    expect([20, 40]).toContain(all.filter((status) => status === 200).length)
  })
})

describe('keys rotate-encryption', () => {
  it('re-encrypts all shards and their addresses, so that the old key is no longer needed', async ({
    service,
    tenant,
    neighbour,
    second,
    env,
    receiver,
    startReceiver,
    startProcess,
  }) => {
    const foreign = await startReceiver()
    const { secret } = await subscribe(tenant, receiver.url)
    const { secret: other } = await subscribe(neighbour, foreign.url)
    const keyed = { headers: { 'idempotency-key': 'kept' } }
    const first = await tenant.request('POST', '/products', { name: 'Tea', barcode: 'tea' }, keyed)
    await service.stopServer()

    const rotating = { ...env, ENCRYPTION_KEY: NEW_KEY, ENCRYPTION_KEY_PREVIOUS: ENCRYPTION_KEY }
    const stored = async (): Promise<number> => {
      const counts = await Promise.all(
        [service.db, second.db].map(async ({ dedicatedPool }) => {
          const { rows } = await dedicatedPool.query(
            `select (select count(*) from webhook_subscriptions where secret_ciphertext is not null)::int as subscriptions,
               (select count(*) from shards where url_ciphertext is not null)::int as shards`,
          )
          return rows[0].subscriptions + rows[0].shards
        }),
      )
      return counts[0] + counts[1]
    }
    const { exitCode, stdout } = await runCommand(['keys', 'rotate-encryption', '--json'], rotating)
    const { renewed, unreadable } = JSON.parse(stdout)
    // Besides those: the stored response, and the check of the key.
    expect([exitCode, renewed, unreadable]).toEqual([0, (await stored()) + 2, []])

    const next = { ...env, ENCRYPTION_KEY: NEW_KEY }
    const listed = await runCommand(['shards', 'list', '--json'], next)
    expect(JSON.parse(listed.stdout).shards).toMatchObject([{ id: 1 }, { id: 2, is_reachable: true }])
    const server = await startProcess({ ...next, MONITORING_PORT: String(await freePort()) })
    const [moved, far] = [tenant, neighbour].map(({ key }) => (name: string, headers: Record<string, string> = {}) => {
      const body = { name, barcode: name.toLowerCase() }
      return send(`${server.url}/api/v1/products`, 'POST', body, { key, headers })
    })
    const again = await moved!('Tea', keyed.headers)
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body])
    expect([(await moved!('Coffee')).status, (await far!('Salt')).status]).toEqual([200, 200])
    for (const [{ received }, key, name] of [
      [receiver, secret, 'Coffee'],
      [foreign, other, 'Salt'],
    ] as const) {
      await until(() => received.some(({ body }) => body.includes(name)), `the event of ${name}`)
      const { body, headers } = received.find((one) => one.body.includes(name))!
      expect(verifyWebhookSync(body, String(headers['x-webhook-signature']), key)).toMatchObject({ data: { name } })
    }
  })
})
