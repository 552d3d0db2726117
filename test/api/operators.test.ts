import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import { it } from '../support/shared-service.ts'
import { failure } from '../support/orders.ts'
import type { TestTenant } from '../support/service.ts'

const add = (tenant: TestTenant, fields: object = {}) =>
  tenant.request('POST', '/operators', { name: 'Ada', email: 'ada@example.com', ...fields })

const change = (tenant: TestTenant, id: number, fields: object) => tenant.request('PUT', `/operators/${id}`, fields)

const names = async (tenant: TestTenant, query = '') =>
  (await tenant.request('GET', `/operators${query}`)).body.data.operators.map(({ name }: { name: string }) => name)

describe('an operator', () => {
  it('is added without a badge and the right to change stock', async ({ tenant }) => {
    const { status, body } = await add(tenant)
    const operator = {
      id: expect.any(Number),
      name: 'Ada',
      email: 'ada@example.com',
      may_change_stock: false,
      is_active: true,
      has_badge: false,
      last_active_at: null,
      created_at: expect.any(String),
    }
    expect([status, body.data]).toEqual([200, operator])
    expect((await tenant.request('GET', `/operators/${body.data.id}`)).body.data).toEqual(body.data)
    const listed = (await tenant.request('GET', '/operators')).body.data
    expect(listed).toEqual({ operators: [body.data], pagination: { total: 1, page: 1, limit: 50, total_pages: 1 } })
  })

  it('can be added with both rights', async ({ tenant }) => {
    const { body } = await add(tenant, { may_change_stock: true, is_active: false })
    expect(body.data).toMatchObject({ may_change_stock: true, is_active: false })
  })

  it('changes in the given fields', async ({ tenant }) => {
    const { data: before } = (await add(tenant)).body
    const steps: object[] = [
      { name: 'Ada Byron' },
      { email: 'byron@example.com' },
      { may_change_stock: true },
      { is_active: false },
      {},
    ]
    const expected = { ...before }
    for (const step of steps) {
      Object.assign(expected, step)
      const { status, body } = await change(tenant, before.id, step)
      expect([status, body.data]).toEqual([200, expected])
    }
  })

  it('has an e-mail address of their own, in any case of its letters', async ({ service, tenant }) => {
    const { data: ada } = (await add(tenant)).body
    expect(failure(await add(tenant, { email: 'ADA@example.COM' }))).toEqual([409, 'already_exists'])
    const { data: bob } = (await add(tenant, { email: 'bob@example.com' })).body
    const refused = await change(tenant, bob.id, { email: 'Ada@Example.com' })
    expect([...failure(refused), refused.body.error.message]).toEqual([
      409,
      'already_exists',
      'An operator with this e-mail address exists',
    ])
    expect((await change(tenant, ada.id, { email: 'Ada@Example.com' })).body.data.email).toBe('Ada@Example.com')
    expect((await add(await service.newTenant())).status).toBe(200)
  })

  it('is of the mode in which they were added', async ({ tenant }) => {
    const { key } = (await tenant.request('POST', '/api-keys', { name: 'test', preset: 'full_access', mode: 'test' })).body.data
    const { data: live } = (await add(tenant)).body
    const inSandbox = (method: string, path: string, body?: object) => tenant.request(method, path, body, { key })
    expect((await inSandbox('GET', '/operators')).body.data.operators).toEqual([])
    expect(failure(await inSandbox('GET', `/operators/${live.id}`))).toEqual([404, 'not_found'])
    expect((await inSandbox('POST', '/operators', { name: 'Ada', email: 'ada@example.com' })).status).toBe(200)
  })

  it.for([
    [{ name: ' ' }, 'name'],
    [{ email: '' }, 'email'],
    [{ email: 'ada' }, 'email'],
    [{ email: 'a d@a' }, 'email'],
    [{ email: 'ada@' }, 'email'],
    [{ email: `${'a'.repeat(250)}@b.example` }, 'email'],
    [{ may_change_stock: 'yes' }, 'may_change_stock'],
  ] as const)('is not added or changed with %j', async ([fields, path], { tenant }) => {
    const { data } = (await add(tenant, { email: 'valid@example.com' })).body
    for (const response of [await add(tenant, fields), await change(tenant, data.id, fields)]) {
      expect(failure(response)).toEqual([400, 'validation_error'])
      expect(response.body.error.details[0].path).toBe(path)
    }
  })
})

describe('the list of operators', () => {
  it('is by name, in any case of its letters, then by id, page by page', async ({ tenant }) => {
    for (const [i, name] of ['carl', 'Ada', 'bob', 'Bob', 'Dora', 'ada'].entries())
      await add(tenant, { name, email: `${i}@example.com` })
    const all = ['Ada', 'ada', 'bob', 'Bob', 'carl', 'Dora']
    expect(await names(tenant)).toEqual(all)
    expect(await names(tenant, '?limit=4')).toEqual(all.slice(0, 4))
    expect(await names(tenant, '?limit=4&page=2')).toEqual(all.slice(4))
    const past = (await tenant.request('GET', '/operators?limit=4&page=3')).body.data
    expect(past).toEqual({ operators: [], pagination: { total: 6, page: 3, limit: 4, total_pages: 2 } })
  })
})

describe('a badge', () => {
  it('is a text that is returned once, of which the hash is stored', async ({ service, tenant }) => {
    const { data: ada } = (await add(tenant)).body
    const issue = async () => (await tenant.request('POST', `/operators/${ada.id}/badge`)).body.data
    const first = await issue()
    expect(first).toEqual({ badge: expect.stringMatching(new RegExp(`^FB-${ada.id}-[0-9A-HJKMNP-TV-Z]{13}$`)) })
    const second = await issue()
    expect(second.badge).not.toBe(first.badge)
    expect((await tenant.request('GET', `/operators/${ada.id}`)).body.data).toEqual({ ...ada, has_badge: true })
    const { rows } = await service.db.dedicatedPool.query(
      `select encode(badge_hash, 'hex') as hash from operators where tenant_id = $1`,
      [tenant.id],
    )
    expect(rows[0].hash).toBe(createHash('sha256').update(second.badge).digest('hex'))
    const log = JSON.stringify((await tenant.request('GET', '/audit-log')).body)
    expect(log).toContain('operators.issueBadge')
    for (const { badge } of [first, second]) expect(log).not.toContain(badge.split('-')[2])
  })
})
