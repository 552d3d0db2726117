import { describe, expect } from 'vitest'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { it } from './filled-tenant.ts'
import { SAMPLES } from './requests.ts'

interface Operation {
  operationId: string
  requestBody?: unknown
  parameters?: { name: string; in: string }[]
}

const operations = Object.entries(openApiDocument().paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
    })),
)

/** zod's own wording, for messages that the service has not replaced. */
const ZODS_OWN = /Invalid|Too (small|big)|expected \w+(,| to )|, received |Unrecognized|NaN|must match|>=|<=/

const WRONG: unknown[] = [{}, [], true, -1e300, 1e300, 0.0001, '', null, 'x'.repeat(5_000)]

// Of one tenant, though some of these calls change it: fields are checked before records are looked for.
describe.each(operations)('$id', ({ id, method, path, operation }) => {
  it('says in plain English what each field must be', async ({ filled: { tenant, records } }) => {
    const { path: target = path, body } = SAMPLES[id]?.(records) ?? {}
    const requests: [path: string, body: unknown][] = []
    const fields = Object.keys(body === undefined || Array.isArray(body) ? {} : (body as object))
    for (const field of fields) for (const wrong of WRONG) requests.push([target, { ...(body as object), [field]: wrong }])
    for (const { name, in: where } of operation.parameters ?? [])
      if (where === 'query')
        for (const wrong of ['', '-1', 'x', '1.5']) requests.push([`${target.split('?')[0]}?${name}=${wrong}`, body])
    for (const [to, input] of requests) {
      const response = await tenant.request(method, to, input)
      if (response.status !== 400) continue
      expect(JSON.stringify(response.body.error), `${to} ${JSON.stringify(input)?.slice(0, 200)}`).not.toMatch(ZODS_OWN)
    }
  })
})

it('names the item and the field of bulk calls', async ({ tenant }) => {
  const { body } = await tenant.request('POST', '/stock/bulk', { updates: [{ sku: 'A', location_id: 'A', quantity: -3 }, null] })
  expect(body.data.errors).toEqual([
    { product_id: 0, error: 'quantity: must be at least 0', index: 0 },
    { product_id: 0, error: 'The item must be an object, not null', index: 1 },
  ])
  const products = await tenant.request('POST', '/products/bulk', { products: [{ barcode: 'a', name: 'A', price: '1' }] })
  expect(products.body.data.errors).toEqual([{ barcode: 'a', error: 'price: must be a number, not a string', index: 0 }])
  const orders = await tenant.request('POST', '/orders', [
    { order_tenant_id: 'A', assembly_date: '2026-12-01', order_detail: [{ barcode: 'a', quantity: 0 }] },
  ])
  expect(orders.body.error.details).toEqual([{ index: 0, error: 'order_detail[0].quantity: must be at least 1' }])
})

it('says what a number of a query must be: each of its values is a text', async ({ tenant }) => {
  for (const query of ['page=-1', 'page=1.5', 'page=', 'page=two']) {
    const { body } = await tenant.request('GET', `/orders?${query}`)
    expect(body.error, query).toEqual({
      code: 'validation_error',
      message: 'page: must be an integer from 1',
      details: [{ path: 'page', error: 'must be an integer from 1' }],
    })
  }
  const { body } = await tenant.request('GET', '/stock/reconcile?cursor=x')
  expect(body.error.message).toBe('cursor: must be an integer from 0')
})
