import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { it } from '../support/shared-service.ts'
import type { TestService, TestTenant } from '../support/service.ts'

describe('API keys', () => {
  it('shows the value of a new key once', async ({ tenant }) => {
    const created = await tenant.request('POST', '/api-keys', { name: 'ERP', preset: 'erp_sync' })
    expect(created.status).toBe(200)
    expect(created.body.data.key).toMatch(/^service_live_[A-Za-z0-9_-]{32,}$/)
    const listed = await tenant.request('GET', '/api-keys')
    expect(JSON.stringify(listed.body)).not.toContain(created.body.data.key)
  })

  it('rejects a revoked key from the next request on', async ({ tenant }) => {
    const { body } = await tenant.request('POST', '/api-keys', { name: 'short-lived', scopes: ['admin'] })
    const { key, id } = body.data
    expect((await tenant.request('GET', '/api-keys', undefined, { key })).status).toBe(200)
    expect((await tenant.request('DELETE', `/api-keys/${id}`)).status).toBe(200)
    const refused = await tenant.request('GET', '/api-keys', undefined, { key })
    expect([refused.status, refused.body.error.code]).toEqual([401, 'invalid_api_key'])
  })
})

/** Adds keys to the database whose values are not known. */
async function addKeys(
  service: TestService,
  tenantId: number,
  count: number,
  fields: { expired?: boolean; revokedDaysAgo?: number } = {},
): Promise<void> {
  const { expired = false, revokedDaysAgo = null } = fields
  await sql`
    insert into api_keys (tenant_id, name, key_hash, prefix, scopes, expires_at, revoked_at)
    select ${tenantId}, 'key ' || n, sha256(gen_random_uuid()::text::bytea), 'service_live_xxxx', '{read:orders}',
      case when ${expired} then now() - interval '1 second' end, now() - make_interval(days => ${revokedDaysAgo}::int)
    from generate_series(1, ${count}) n`.execute(service.db.kysely)
}

const make = (tenant: TestTenant, fields: object = {}) =>
  tenant.request('POST', '/api-keys', { name: 'one more', preset: 'read_only', ...fields })

describe('a tenant', () => {
  it('has at most 1,000 active keys, even if many are created at the same time', async ({ service, tenant }) => {
    await addKeys(service, tenant.id, 996)
    await addKeys(service, tenant.id, 500, { expired: true })
    await addKeys(service, tenant.id, 500, { revokedDaysAgo: 1 })
    const responses = await Promise.all(Array.from({ length: 8 }, () => make(tenant)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
    const refused = responses.filter(({ status }) => status !== 200)
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([400, 'validation_error'])
      expect(body.error.message).toContain('at most 1000 keys')
    }
    const made = responses.find(({ status }) => status === 200)?.body.data
    expect((await tenant.request('DELETE', `/api-keys/${made.id}`)).status).toBe(200)
    expect((await make(tenant)).status).toBe(200)
    // Keys of the sandbox count too.
    expect((await make(tenant, { mode: 'test' })).status).toBe(400)
  })

  it('lists its keys page by page, and revoked and expired ones for 90 days', async ({ service, tenant }) => {
    await addKeys(service, tenant.id, 250)
    await addKeys(service, tenant.id, 7, { expired: true })
    await addKeys(service, tenant.id, 5, { revokedDaysAgo: 89 })
    await addKeys(service, tenant.id, 3, { revokedDaysAgo: 91 })
    const all = (await tenant.request('GET', '/api-keys')).body.data
    expect(all.pagination).toEqual({ total: 263, page: 1, limit: 1_000, total_pages: 1 })
    expect(all.api_keys).toHaveLength(263)
    const pages = await Promise.all([1, 2, 3, 4].map((page) => tenant.request('GET', `/api-keys?limit=100&page=${page}`)))
    const ids = pages.flatMap(({ body }) => body.data.api_keys.map(({ id }: { id: number }) => id))
    expect(ids).toEqual(all.api_keys.map(({ id }: { id: number }) => id))
    expect((await tenant.request('GET', '/api-keys?limit=5000&page=9007199254740991')).body.data).toEqual({
      api_keys: [],
      pagination: { total: 263, page: 9007199254740991, limit: 1_000, total_pages: 1 },
    })
    expect((await tenant.request('GET', '/api-keys?limit=0')).status).toBe(400)
  })
})
