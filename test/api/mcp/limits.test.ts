import { expect } from 'vitest'
import { connectAgent, postMessage, toolRequest } from '../../support/agent.ts'
import { it as base } from '../../support/it.ts'
import { newProduct } from '../../support/stock.ts'

const it = base.extend('settings', { scope: 'file' }, { rateLimitPerMinute: 20, bodyLimitBytes: 4_096 })
const unlimited = base

it('counts each message as a request of the key, and refuses those above the limit with their status', async ({ tenant }) => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const first = await postMessage(tenant, ping, tenant)
  expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual(['20', '19'])
  const failed = await postMessage(tenant, toolRequest('orders_get', { id: 1 }), tenant)
  expect([failed.body.result.isError, failed.headers.get('ratelimit-remaining')]).toEqual([true, '18'])
  const responses = await Promise.all(Array.from({ length: 20 }, () => postMessage(tenant, ping, tenant)))
  const refused = responses.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(2)
  expect(refused[0]?.body).toMatchObject({ success: false, error: { code: 'rate_limit_exceeded' } })
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await tenant.request('GET', '/orders')).status).toBe(429)
})

it('refuses a body above the limit, and one that is no JSON', async ({ service, tenant }) => {
  const large = await postMessage(tenant, toolRequest('orders_get', { id: 'x'.repeat(5_000) }), tenant)
  expect([large.status, large.body.error.code]).toEqual([413, 'payload_too_large'])
  const headers = { 'x-api-key': tenant.key, 'content-type': 'text/plain' }
  const text = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body: 'ping' })
  expect([text.status, ((await text.json()) as { error: { code: string } }).error.code]).toEqual([415, 'unsupported_media_type'])
})

unlimited('has lists with many lines whole, up to a size that a model can read', async ({ tenant }) => {
  const { barcode } = await newProduct(tenant, { name: 'é'.repeat(255) })
  for (let n = 0; n < 3; n++) {
    const order_detail = Array.from({ length: 1_000 }, () => ({ barcode, quantity: 1 }))
    await tenant.request('POST', '/orders', { order_tenant_id: `large ${n}`, assembly_date: '2030-01-01', order_detail })
  }
  const agent = await connectAgent(tenant)
  for (const limit of [1, 2]) {
    const listed = await tenant.request('GET', `/orders?include_details=true&limit=${limit}`)
    expect(await agent.call('orders_list', { include_details: true, limit })).toEqual(listed.body.data)
  }
  expect(await agent.failure('orders_list', { include_details: true })).toEqual({
    code: 'validation_error',
    message: 'limit: the result would have more than 1 MB; ask for fewer records',
    details: [{ path: 'limit', error: 'the result would have more than 1 MB; ask for fewer records' }],
  })
})

unlimited('counts calls of tools as the use of their operations, with their own results', async ({ tenant }) => {
  await postMessage(tenant, toolRequest('orders_list'), tenant)
  await postMessage(tenant, toolRequest('orders_get', { id: 1 }), tenant)
  await postMessage(tenant, toolRequest('apiKeys_list'), tenant)
  const since = new Date(Date.now() - 86_400_000).toISOString()
  const usage = async (): Promise<Record<string, unknown>[]> =>
    (await tenant.request('GET', `/reports/usage?since=${since}`)).body.data.hours
  const counts = async () =>
    (await usage()).map(({ operation, requests, client_errors }) => ({ operation, requests, client_errors }))
  await expect.poll(counts, { timeout: 60_000, interval: 500 }).toEqual(
    expect.arrayContaining([
      { operation: 'orders.list', requests: 1, client_errors: 0 },
      { operation: 'orders.get', requests: 1, client_errors: 1 },
    ]),
  )
  expect((await usage()).filter(({ operation }) => operation === 'apiKeys.list')).toEqual([])
})
