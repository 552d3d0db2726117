import { describe, expect } from 'vitest'
import { it } from '../support/shared-service.ts'
import { failure } from '../support/orders.ts'
import type { TestTenant } from '../support/service.ts'

const makeCode = (tenant: TestTenant, fields: object = {}, key = tenant.key) =>
  tenant.request('POST', '/devices/codes', { device_name: 'Handheld', ...fields }, { key })

const newKey = async (tenant: TestTenant, fields: object): Promise<{ id: number; key: string }> =>
  (await tenant.request('POST', '/api-keys', { name: 'scan', preset: 'full_access', ...fields })).body.data

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

describe('a code that enrols a device', () => {
  it('is valid for 10 minutes, at an address of the scan app', async ({ service, tenant }) => {
    const { status, body } = await makeCode(tenant)
    const { code, url, expires_at } = body.data
    expect(status).toBe(200)
    expect(code).toMatch(new RegExp(`^${tenant.id}-[0-9A-HJKMNP-TV-Z]{16}$`))
    expect(url).toBe(`http://localhost:${new URL(service.url).port}/scan#code=${code}`)
    expect(Math.abs(Date.parse(expires_at) - Date.now() - 600_000)).toBeLessThan(60_000)
    expect(JSON.stringify((await tenant.request('GET', '/audit-log')).body)).not.toContain(code.split('-')[1])
  })

  it('is for the calling key or another one of the same mode', async ({ service, tenant }) => {
    const own = await newKey(tenant, { preset: 'erp_sync' })
    const sandbox = await newKey(tenant, { mode: 'test' })
    const foreign = await newKey(await service.newTenant(), {})
    const revoked = await newKey(tenant, {})
    await tenant.request('DELETE', `/api-keys/${revoked.id}`)
    const [expired] = (
      await service.db.dedicatedPool.query(
        `insert into api_keys (tenant_id, name, key_hash, prefix, scopes, expires_at)
         values ($1, 'expired', 'x', 'x', '{admin}', now() - interval '1 second') returning id::int`,
        [tenant.id],
      )
    ).rows
    expect((await makeCode(tenant, { key_id: own.id })).status).toBe(200)
    expect((await makeCode(tenant, { key_id: null })).status).toBe(200)
    for (const { id } of [sandbox, foreign, revoked, expired, { id: 999_999_999 }])
      expect(failure(await makeCode(tenant, { key_id: id }))).toEqual([404, 'not_found'])
    expect((await makeCode(tenant, {}, sandbox.key)).status).toBe(200)
    expect(failure(await makeCode(tenant, { key_id: own.id }, sandbox.key))).toEqual([404, 'not_found'])
    const { rows } = await service.db.dedicatedPool.query(
      `select c.mode, k.name from sign_in_codes c join api_keys k on k.id = c.key_id
       where c.tenant_id in (select id from tenants where id = $1 or sandbox_of = $1) order by c.mode, k.name`,
      [tenant.id],
    )
    expect(rows).toEqual([
      { mode: 'live', name: 'scan' },
      { mode: 'live', name: 'test key' },
      { mode: 'test', name: 'scan' },
    ])
  })

  it.for([
    [[], [], true],
    [[], ['10.0.0.1'], true],
    [['127.0.0.1'], [], false],
    [['127.0.0.1'], ['127.0.0.1'], true],
    [['127.0.0.1'], ['10.0.0.1'], false],
    [['127.0.0.0/8'], ['127.1.2.3', '127.0.0.0/16'], true],
    [['127.0.0.0/16'], ['127.0.0.0/8'], false],
    [['127.0.0.0/8', '10.0.0.0/8'], ['10.1.0.0/16'], true],
    [['127.0.0.0/8'], ['127.0.0.1', '10.0.0.1'], false],
    [['127.0.0.0/8'], ['::ffff:127.0.0.0/112'], true],
    [['127.0.0.0/8'], ['::ffff:127.0.0.0/96'], false],
    [['127.0.0.1', '2001:db8::/32'], ['2001:db8:1::/48'], true],
    [['127.0.0.1', '2001:db8::/32'], ['2001:db9::1'], false],
    [['127.0.0.0/8'], ['::/0'], false],
  ] as const)('by a key for %j can be for a key for %j: %s', async ([calling, wanted, isAllowed], { tenant }) => {
    const key = await tenant.createKey({ ip_whitelist: [...calling] })
    const { id } = await newKey(tenant, { ip_whitelist: wanted })
    const response = await makeCode(tenant, { key_id: id }, key)
    if (isAllowed) return expect(response.status).toBe(200)
    expect(failure(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.details).toEqual([{ path: 'key_id', error: 'its allow-list is wider than yours' }])
  })

  it.for([
    [undefined, undefined, true],
    [undefined, 5, true],
    [5, undefined, false],
    [5, 6, false],
    [5, 4, true],
  ] as const)('by a key of %s days can be for a key of %s days: %s', async ([calling, wanted, isAllowed], { tenant }) => {
    const key = await tenant.createKey(calling === undefined ? {} : { expires_at: inDays(calling) })
    const { id } = await newKey(tenant, wanted === undefined ? {} : { expires_at: inDays(wanted) })
    const response = await makeCode(tenant, { key_id: id }, key)
    if (isAllowed) return expect(response.status).toBe(200)
    expect(failure(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toBe('key_id: it expires later than yours')
  })

  it.for([{}, { device_name: '' }, { device_name: 1 }, { key_id: 'x' }])('is not made with %j', async (fields, { tenant }) => {
    const input = 'key_id' in fields ? { device_name: 'Handheld', ...fields } : fields
    expect(failure(await tenant.request('POST', '/devices/codes', input))).toEqual([400, 'validation_error'])
  })
})
