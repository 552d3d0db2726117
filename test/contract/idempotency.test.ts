import { describe, expect } from 'vitest'
import { it } from '../support/it.ts'
import type { TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { createRecords } from './requests.ts'

/** Sends the same request ten times at once. */
async function rush(tenant: TestTenant, method: string, path: string, body?: unknown): Promise<void> {
  const headers = { 'idempotency-key': `${method} ${path}` }
  const responses = await Promise.all(Array.from({ length: 10 }, () => tenant.request(method, path, body, { headers })))
  const running = responses.filter(({ status }) => status === 409)
  expect(responses.filter(({ status }) => status === 200).length).toBe(10 - running.length)
  for (const response of running)
    expect([response.body.error.code, response.headers.get('retry-after')]).toEqual(['idempotency_conflict', '1'])
}

describe('PUT and DELETE with an Idempotency-Key', () => {
  it('execute the call once for 10 concurrent requests', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    await rush(tenant, 'PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 7 })
    expect((await tenant.request('GET', `/stock/movements?product_id=${id}`)).body.data.pagination.total).toBe(1)
    await rush(tenant, 'DELETE', `/products/${id}`)
    const { entries } = (await tenant.request('GET', '/audit-log?operation=products.delete')).body.data
    expect(entries).toHaveLength(1)
  })

  it('return the first response again for a completed order, where a second PUT without a key fails', async ({ tenant }) => {
    const { order } = await createRecords(tenant, ['order'])
    const headers = { 'idempotency-key': 'complete' }
    const complete = () => tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 }, { headers })
    expect([(await complete()).status, (await complete()).status]).toEqual([200, 200])
    const without = await tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 })
    expect([without.status, without.body.error.code]).toEqual([400, 'update_error'])
  })

  it('revoke an API key from the next request on', async ({ tenant }) => {
    const { key, id } = (await tenant.request('POST', '/api-keys', { name: 'a', preset: 'read_only' })).body.data
    expect((await tenant.request('GET', '/orders', undefined, { key })).status).toBe(200)
    await tenant.request('DELETE', `/api-keys/${id}`, undefined, { headers: { 'idempotency-key': 'revoke' } })
    expect((await tenant.request('GET', '/orders', undefined, { key })).status).toBe(401)
  })
})
