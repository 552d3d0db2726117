import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { send } from '../support/service.ts'
import { it } from './support/it.ts'

const LIMIT = 60

/** Sends requests over separate connections, which the processes get in turn. */
function statuses(url: string, key: string, times: number): Promise<number[]> {
  const options = { key, headers: { connection: 'close' } }
  const ask = async (): Promise<number> => (await send(`${url}/api/v1/warehouses`, 'GET', undefined, options)).status
  return Promise.all(Array.from({ length: times }, ask))
}

describe('two processes behind one port', () => {
  it('share requests, and show the metrics of both', async ({ tenant, startGroup }) => {
    const group = await startGroup()
    expect(group.processIds()).toHaveLength(2)
    expect(await statuses(group.url, tenant.key, 20)).toEqual(Array(20).fill(200))
    const requests = /^fulfillment_http_requests_total\{method="GET",route="\/api\/v1\/warehouses",status="200",process="[12]"\}/
    await expect.poll(async () => (await group.metric(requests)).reduce((sum, count) => sum + count, 0)).toBe(20)
    // About ten requests each; a busy process gets fewer.
    expect((await group.metric(requests)).filter((count) => count > 0)).toHaveLength(2)
    expect(await group.metric(/^nodejs_eventloop_lag_p99_seconds\{process="[12]"\}/)).toHaveLength(2)
    // Metrics of the database exist once.
    expect(await group.metric(/^fulfillment_outbox_events/)).toEqual([0])
    expect(await group.metric('fulfillment_processes')).toEqual([2])
  })

  it('show the metrics of both, and their health, on the port of monitoring', async ({ startGroup }) => {
    const MONITORING_PORT = String(await freePort())
    const group = await startGroup({ MONITORING_PORT, ROLE: 'worker' })
    await expect.poll(() => group.metric('fulfillment_processes')).toEqual([2])
    expect(await group.metric(/^fulfillment_database_up\{process="[12]"\}/)).toEqual([1, 1])
    expect((await fetch(`http://127.0.0.1:${MONITORING_PORT}/readyz`)).status).toBe(200)
  })

  it('show the metrics of one while the other is stuck', async ({ startGroup }) => {
    const group = await startGroup()
    const [, stuck] = group.processIds() as [number, number]
    process.kill(stuck, 'SIGSTOP')
    try {
      // A connection that is handed to the stuck process gets no response.
      const asked = Array.from({ length: 4 }, () => group.metric('fulfillment_processes'))
      expect(await Promise.any(asked)).toEqual([2])
    } finally {
      process.kill(stuck, 'SIGCONT')
    }
  })

  it('let through exactly the limit of a key together', async ({ tenant, startGroup }) => {
    const group = await startGroup({ RATE_LIMIT_PER_MINUTE: String(LIMIT) })
    // A busy process gets fewer requests, and may have leased more than that: until neither has any left.
    const all: number[] = []
    for (let last = [200]; last.includes(200); all.push(...last)) last = await statuses(group.url, tenant.key, LIMIT)
    expect([...new Set(all)].toSorted()).toEqual([200, 429])
    expect(all.filter((status) => status === 200)).toHaveLength(LIMIT)
  })

  it('refuse a revoked key within a second, both', async ({ tenant, startGroup }) => {
    const group = await startGroup()
    const { body } = await tenant.request('POST', '/api-keys', { name: 'leaked', preset: 'full_access' })
    const { id, key } = body.data
    expect(await statuses(group.url, key, 6)).toEqual(Array(6).fill(200))
    expect((await tenant.request('DELETE', `/api-keys/${id}`)).status).toBe(200)
    await delay(1_000)
    expect(await statuses(group.url, key, 6)).toEqual(Array(6).fill(401))
  })
})
