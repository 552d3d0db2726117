import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/server-process.ts'
import { send, startService, type Answer, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const get = (path: string, url = service.url): Promise<Answer> => send(`${url}${path}`, 'GET', undefined, {})

/** The value of a series as `/metrics` shows it. */
async function metric(series: string, url = service.url): Promise<number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

describe('health', () => {
  it('is told without a key', async () => {
    expect((await get('/healthz')).body).toEqual({ success: true, data: { status: 'alive' } })
    expect((await get('/readyz')).body).toEqual({ success: true, data: { status: 'ready' } })
  })
})

describe('a server that is told to stop', () => {
  it('goes on until load balancers have seen that it is not ready, then refuses', async () => {
    const monitoringPort = await freePort()
    const stopping = await startService({ monitoringPort, stopDelaySeconds: 1 })
    const tenant = await stopping.newTenant()
    const ready = async () => (await fetch(`http://127.0.0.1:${monitoringPort}/readyz`)).status
    expect(await ready()).toBe(200)
    const stopped = stopping.stop()
    expect(await ready()).toBe(503)
    expect((await tenant.request('POST', '/products', { name: 'late', barcode: 'late' })).status).toBe(200)
    await stopped
    await expect(tenant.request('GET', '/products')).rejects.toThrow('fetch failed')
  })
})

describe('metrics', () => {
  it('count requests by route and status, and name no record', async () => {
    const tenant = await service.newTenant()
    const route = 'method="GET",route="/api/v1/products/:id"'
    await tenant.request('GET', '/products/424242')
    await tenant.request('GET', '/products/424243')
    await send(`${service.url}/nowhere/424242`, 'GET', undefined, {})
    await expect.poll(() => metric(`fulfillment_http_requests_total{${route},status="404"}`)).toBe(2)
    expect(await metric(`fulfillment_http_request_seconds_count{${route}}`)).toBe(2)
    expect(await metric('fulfillment_http_requests_total{method="GET",route="unknown",status="404"}')).toBe(1)
    expect(await (await fetch(`${service.url}/metrics`)).text()).not.toContain('424242')
  })

  it('tell of the database and of what waits to be delivered', async () => {
    expect(await metric('fulfillment_database_up')).toBe(1)
    expect(await metric('fulfillment_database_pool_connections')).toBeGreaterThan(0)
    for (const name of [
      'outbox_events',
      'outbox_age_seconds',
      'webhook_waiting_deliveries',
      'webhook_due_lanes',
      'webhook_failing_lanes',
    ]) {
      expect([name, await metric(`fulfillment_${name}`)]).toEqual([name, 0])
    }
  })

  it('count attempts to deliver by what became of them', async () => {
    const { createServer } = await import('node:http')
    const receiver = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => receiver.once('listening', resolve))
    const { port } = receiver.address() as { port: number }
    const tenant = await service.newTenant()
    await tenant.request('POST', '/webhooks', { name: 'good', url: `http://127.0.0.1:${port}/`, events: ['product/created'] })
    await tenant.request('POST', '/webhooks', { name: 'dead', url: 'http://127.0.0.1:1024/', events: ['product/created'] })
    await tenant.request('POST', '/products', { name: 'a', barcode: 'a' })
    await expect.poll(() => metric('fulfillment_webhook_attempts_total{outcome="succeeded"}'), { interval: 200 }).toBe(1)
    await expect.poll(() => metric('fulfillment_webhook_attempts_total{outcome="retried"}'), { interval: 200 }).toBe(1)
    expect(await metric('fulfillment_webhook_attempt_seconds_count')).toBe(2)
    receiver.close()
  })
})
