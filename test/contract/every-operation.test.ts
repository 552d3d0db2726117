import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPES, type Scope } from '../../server/src/context.ts'
import { openApiDocument } from '../../server/src/openapi/document.ts'
import { assertFitsDocument } from '../support/document.ts'
import { send, startService, type TestService, type TestTenant } from '../support/service.ts'
import { createRecords, SAMPLES, type Records } from './requests.ts'

interface Operation {
  id: string
  method: string
  path: string
  scope: Scope
}

const operations: Operation[] = Object.entries(
  openApiDocument().paths as Record<string, Record<string, { operationId: string; description: string }>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, description }]) => ({
    id: operationId,
    method: method.toUpperCase(),
    path,
    scope: (/Scope: `([^`]+)`/.exec(description)?.[1] ?? '') as Scope,
  })),
)

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

let service: TestService
let tenant: TestTenant
let other: TestTenant
let records: Records
beforeAll(async () => {
  service = await startService()
  ;[tenant, other] = [await service.newTenant(), await service.newTenant()]
  records = await createRecords(tenant)
})
afterAll(() => service.stop())

it('has a sample request for every operation of the document', () => {
  expect(Object.keys(SAMPLES).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
})

describe.each(operations)('$id', ({ id, method, path, scope }) => {
  const sample = () => SAMPLES[id]?.(records) ?? { path }

  it('needs a key', async () => {
    const { path, body } = sample()
    const answer = await tenant.request(method, path, body, { key: '' })
    expect([answer.status, answer.body.error.code]).toEqual([401, 'missing_api_key'])
  })

  it('needs its scope, and names it', async () => {
    const { path, body } = sample()
    const key = await tenant.createKey({ scopes: SCOPES.filter((granted) => granted !== scope && granted !== 'admin') })
    const answer = await tenant.request(method, path, body, { key })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'insufficient_scope'])
    expect(answer.body.error.message).toContain(scope)
  })

  it('shows and changes nothing of another tenant', async () => {
    const { path, body, asOther = 'not_found' } = sample()
    const answer = await other.request(method, path, body)
    if (typeof asOther === 'function') return asOther(answer as never)
    expect([answer.status, answer.body.error?.code]).toEqual(asOther === 'own' ? [200, undefined] : [404, 'not_found'])
    expect(JSON.stringify(answer.body)).not.toContain(records.product.sku)
    expect(JSON.stringify(answer.body)).not.toContain(records.order.order_tenant_id)
  })

  it('never fails on hostile values in its path', async () => {
    const parts = path.match(/\{\w+\}/g) ?? []
    for (const part of parts) {
      for (const value of HOSTILE_PATH_PARTS)
        await expectHandled(method, path.replace(part, value).replaceAll(/\{\w+\}/g, '1'), sample().body)
    }
  })

  it('never fails on hostile values in its body or query', async () => {
    const { path, body } = sample()
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
          await expectHandled(method, `${plain}?${name}=${value}`, undefined)
        }
      }
      return
    }
    for (const mutated of mutations(body)) await expectHandled(method, path, mutated)
  })

  it('has its scope checked for a caller with exactly that scope', async () => {
    const fresh = await service.newTenant()
    const own = await createRecords(fresh)
    const request = SAMPLES[id]?.(own) ?? { path }
    const answer = await fresh.request(method, request.path, request.body, { key: await fresh.createKey({ scopes: [scope] }) })
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
  })
})

async function expectHandled(method: string, path: string, body: unknown): Promise<void> {
  const answer = await send(`${service.url}/api/v1${path}`, method, body, { key: other.key })
  const context = `${method} ${path} ${JSON.stringify(body)?.slice(0, 200)} -> ${JSON.stringify(answer.body)?.slice(0, 200)}`
  expect(answer.status, context).toBeLessThan(500)
  expect(answer.body.success, context).toBe(answer.status === 200)
  if (answer.status >= 400)
    expect(answer.body.error, context).toMatchObject({ code: expect.any(String), message: expect.any(String) })
  assertFitsDocument(method, path, answer)
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
