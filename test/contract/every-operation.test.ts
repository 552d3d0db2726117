import { describe, expect } from 'vitest'
import { SCOPES } from '@fulfillment/server/procedures/context.ts'
import { assertFitsDocument } from '../support/document.ts'
import { send, type TestService, type TestTenant } from '../support/service.ts'
import { it as base } from './filled-tenant.ts'
import { OPERATIONS } from './operations.ts'
import { SAMPLES, type Records } from './requests.ts'

/** Values of wrong types and shapes for any field. */
const HOSTILE_VALUES: unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  '',
  ' ',
  'text',
  '\u0000',
  '\ud800',
  'x'.repeat(70_000),
  [],
  [null],
  [[]],
  {},
  { a: 1 },
  '2026-02-30',
  '__proto__',
]
const HOSTILE_PATH_PARTS = [
  '0',
  '-1',
  'abc',
  '%00',
  '9007199254740993',
  '1e9',
  'x'.repeat(2_000),
  '%F0%9F%92%A9',
  "'%20or%201=1--",
  '..%2f..',
  '%0d%0aX:y',
]

/** `other` is a tenant without any records. */
const it = base.extend('other', { scope: 'file' }, async ({ service }) => await service.newTenant())

it('has a sample request for every operation of the document', () => {
  expect(Object.keys(SAMPLES).toSorted()).toEqual(OPERATIONS.map(({ id }) => id).toSorted())
})

describe.each(OPERATIONS)('$id', ({ id, method, path, scope }) => {
  const sample = (filled: { tenant: TestTenant; records: Records }) => SAMPLES[id]?.(filled.records) ?? { path }

  it('needs a key', async ({ filled }) => {
    const { path, body } = sample(filled)
    const response = await filled.tenant.request(method, path, body, { key: '' })
    expect([response.status, response.body.error.code]).toEqual([401, 'missing_api_key'])
  })

  it('needs its scope, and names the missing one', async ({ filled }) => {
    const { path, body } = sample(filled)
    const key = await filled.tenant.createKey({ scopes: SCOPES.filter((granted) => granted !== scope && granted !== 'admin') })
    const response = await filled.tenant.request(method, path, body, { key })
    expect([response.status, response.body.error.code]).toEqual([403, 'insufficient_scope'])
    expect(response.body.error.message).toContain(scope)
  })

  it('neither shows nor changes data of another tenant', async ({ filled, other }) => {
    const { path, body, asOther = 'not_found' } = sample(filled)
    const response = await other.request(method, path, body)
    if (typeof asOther === 'function') return asOther(response as never)
    expect([response.status, response.body.error?.code]).toEqual(asOther === 'own' ? [200, undefined] : [404, 'not_found'])
    expect(JSON.stringify(response.body)).not.toContain(filled.records.product.sku)
    expect(JSON.stringify(response.body)).not.toContain(filled.records.order.order_tenant_id)
  })

  it('never fails on hostile values in its path', async ({ service, filled, other }) => {
    const parts = path.match(/\{\w+\}/g) ?? []
    for (const part of parts) {
      for (const value of HOSTILE_PATH_PARTS)
        await expectHandled(service, other, method, path.replace(part, value).replaceAll(/\{\w+\}/g, '1'), sample(filled).body)
    }
  })

  it('never fails on hostile values in its body or query', async ({ service, filled, other }) => {
    const { path, body } = sample(filled)
    if (body === undefined) {
      const [plain, query = ''] = path.split('?')
      const names = new Set([
        ...new URLSearchParams(query).keys(),
        'page',
        'limit',
        'start_date',
        'end_date',
        'state_id',
        'search',
      ])
      for (const name of names) {
        for (const value of [
          '',
          '0',
          '-1',
          'abc',
          '%00',
          '1&' + name + '=2',
          '1e2',
          '2026-02-30',
          '%F0%9F%92%A9',
          '999999999999999999999',
        ]) {
          await expectHandled(service, other, method, `${plain}?${name}=${value}`, undefined)
        }
      }
      return
    }
    for (const mutated of mutations(body)) await expectHandled(service, other, method, path, mutated)
  })
})

// That of a change is in every-change.test.ts.
describe.each(OPERATIONS.filter(({ method }) => method === 'GET'))('$id', ({ id, method, path, scope }) => {
  it('accepts a key with exactly its scope', async ({ filled: { tenant, records } }) => {
    const request = SAMPLES[id]?.(records) ?? { path }
    const key = await tenant.createKey({ scopes: [scope] })
    const response = await tenant.request(method, request.path, request.body, { key })
    expect([response.status, response.body.error]).toEqual([200, undefined])
  })
})

async function expectHandled(
  service: TestService,
  other: TestTenant,
  method: string,
  path: string,
  body: unknown,
): Promise<void> {
  const response = await send(`${service.url}/api/v1${path}`, method, body, { key: other.key })
  const context = `${method} ${path} ${JSON.stringify(body)?.slice(0, 200)} -> ${JSON.stringify(response.body)?.slice(0, 200)}`
  expect(response.status, context).toBeLessThan(500)
  expect(response.body.success, context).toBe(response.status === 200)
  if (response.status >= 400)
    expect(response.body.error, context).toMatchObject({ code: expect.any(String), message: expect.any(String) })
  assertFitsDocument(method, path, response)
}

/** The value with one of its parts replaced by something else, for every part and every hostile value. */
function mutations(value: unknown): unknown[] {
  if (Array.isArray(value))
    return [...HOSTILE_VALUES, ...value.flatMap((item, index) => mutations(item).map((mutated) => value.with(index, mutated)))]
  if (typeof value !== 'object' || value === null) return HOSTILE_VALUES
  return [
    ...HOSTILE_VALUES,
    ...Object.entries(value).flatMap(([key, part]) => mutations(part).map((mutated) => ({ ...value, [key]: mutated }))),
  ]
}
