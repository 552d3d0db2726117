import { describe, expect } from 'vitest'
import { it } from '../support/it.ts'
import { send, type ServiceResponse, type TestService } from '../support/service.ts'

const get = (service: TestService, path: string, url = service.url): Promise<ServiceResponse> =>
  send(`${url}${path}`, 'GET', undefined, {})

/** The value of a series in `/metrics`. */
async function metric(service: TestService, series: string, url = service.url): Promise<number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

describe('health', () => {
  it('needs no key', async ({ service }) => {
    expect((await get(service, '/healthz')).body).toEqual({ success: true, data: { status: 'alive' } })
    expect((await get(service, '/readyz')).body).toEqual({ success: true, data: { status: 'ready' } })
  })
})

describe('metrics', () => {
  it('count requests by route and status, without ids of records', async ({ service, tenant }) => {
    const route = 'method="GET",route="/api/v1/products/:id"'
    await tenant.request('GET', '/products/424242')
    await tenant.request('GET', '/products/424243')
    await send(`${service.url}/nowhere/424242`, 'GET', undefined, {})
    await expect.poll(() => metric(service, `fulfillment_http_requests_total{${route},status="404"}`)).toBe(2)
    expect(await metric(service, `fulfillment_http_request_seconds_count{${route}}`)).toBe(2)
    expect(await metric(service, 'fulfillment_http_requests_total{method="GET",route="unknown",status="404"}')).toBe(1)
    expect(await (await fetch(`${service.url}/metrics`)).text()).not.toContain('424242')
  })

  it('include the database and pending deliveries', async ({ service }) => {
    expect(await metric(service, 'fulfillment_database_up')).toBe(1)
    expect(await metric(service, 'fulfillment_database_pool_connections')).toBeGreaterThan(0)
    for (const name of [
      'outbox_events',
      'outbox_age_seconds',
      'webhook_waiting_deliveries',
      'webhook_due_lanes',
      'webhook_failing_lanes',
    ]) {
      expect([name, await metric(service, `fulfillment_${name}`)]).toEqual([name, 0])
    }
  })

  it('count delivery attempts by outcome', async ({ service, tenant, receiver }) => {
    await tenant.request('POST', '/webhooks', { name: 'good', url: receiver.url, events: ['product/created'] })
    await tenant.request('POST', '/webhooks', { name: 'dead', url: 'http://127.0.0.1:1024/', events: ['product/created'] })
    await tenant.request('POST', '/products', { name: 'a', barcode: 'a' })
    await expect.poll(() => metric(service, 'fulfillment_webhook_attempts_total{outcome="succeeded"}'), { interval: 200 }).toBe(1)
    await expect.poll(() => metric(service, 'fulfillment_webhook_attempts_total{outcome="retried"}'), { interval: 200 }).toBe(1)
    expect(await metric(service, 'fulfillment_webhook_attempt_seconds_count')).toBe(2)
  })
})
