import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('API keys', () => {
  it('shows a new key once', async () => {
    const tenant = await service.newTenant()
    const created = await tenant.request('POST', '/api-keys', { name: 'ERP', preset: 'erp_sync' })
    expect(created.status).toBe(200)
    expect(created.body.data.key).toMatch(/^service_live_[A-Za-z0-9_-]{32,}$/)
    const listed = await tenant.request('GET', '/api-keys')
    expect(JSON.stringify(listed.body)).not.toContain(created.body.data.key)
  })

  it('refuses a revoked key from the next request on', async () => {
    const tenant = await service.newTenant()
    const { body } = await tenant.request('POST', '/api-keys', { name: 'short-lived', scopes: ['admin'] })
    const { key, id } = body.data
    expect((await tenant.request('GET', '/api-keys', undefined, { key })).status).toBe(200)
    expect((await tenant.request('DELETE', `/api-keys/${id}`)).status).toBe(200)
    const refused = await tenant.request('GET', '/api-keys', undefined, { key })
    expect([refused.status, refused.body.error.code]).toEqual([401, 'invalid_api_key'])
  })
})
