import { describe, expect } from 'vitest'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import type { TestTenant } from '../support/service.ts'
import { it } from './filled-tenant.ts'
import { SAMPLES, type Records } from './requests.ts'

interface Parameter {
  in: string
  name: string
  schema: { type: string; enum?: (string | number)[]; items?: { enum?: (string | number)[] } }
}

const operations = Object.values(
  openApiDocument().paths as Record<string, Record<string, { operationId: string; parameters?: Parameter[] }>>,
).flatMap(({ get }) => (get === undefined ? [] : [get]))

const parameters = operations.flatMap(({ operationId, parameters = [] }) =>
  parameters.filter((parameter) => parameter.in === 'query').map((parameter) => ({ operationId, ...parameter })),
)

const pathOf = (filled: { tenant: TestTenant; records: Records }, operationId: string): string =>
  (SAMPLES[operationId]?.(filled.records).path ?? '').split('?', 1)[0] ?? ''

/** Filters that accept any text. The empty text is part of every name, and equal to none. */
const TEXT_FILTERS = new Set([
  'search',
  'category',
  'customer_name',
  'order_tenant_id',
  'operation',
  'request_id',
  'operator_email',
])

describe.each(parameters)('$operationId with $name', ({ operationId, name, schema }) => {
  const repeatable = schema.type === 'array'
  const [one = 1, two = 1] = (repeatable ? schema.items?.enum : schema.enum) ?? []

  it('in an unsupported form is rejected, and the message shows the supported one', async ({ filled }) => {
    const forms = [`${name}[]=${one}`, `${name}%5B%5D=${one}&${name}%5B%5D=${two}`, `${name}[0]=${one}`, `${name}[value]=${one}`]
    forms.push(repeatable ? `${name}=${one},${two}` : `${name}=${one}&${name}=${one}`)
    const rightForm = repeatable ? `repeat it, as in ${name}=${one}&${name}=${two}` : `give it once, as in ${name}=...`
    for (const form of forms) {
      const { status, body } = await filled.tenant.request('GET', `${pathOf(filled, operationId)}?${form}`)
      expect([status, body.error], form).toEqual([
        400,
        { code: 'validation_error', message: `${name}: ${rightForm}`, details: [{ path: name, error: rightForm }] },
      ])
    }
  })

  it('without a value is rejected, unless it is a text', async ({ filled }) => {
    for (const form of [`${name}=`, name]) {
      const { status, body } = await filled.tenant.request('GET', `${pathOf(filled, operationId)}?${form}`)
      const isText = TEXT_FILTERS.has(name)
      expect([status, body.error?.code], form).toEqual(isText ? [200, undefined] : [400, 'validation_error'])
      if (!isText) expect(body.error.message, form).toContain(name)
    }
  })
})

it('ignores unknown parameters in any form', async ({ filled }) => {
  for (const query of ['State_Id=9', 'colour[]=1', 'colour=1&colour=2', 'filter[state_id]=9', '__proto__[page]=0', '[]=1']) {
    const { status } = await filled.tenant.request('GET', `/orders?${query}`)
    expect([query, status]).toEqual([query, 200])
  }
})

it('accepts a repeated state_id', async ({ filled }) => {
  const list = async (query: string): Promise<number> =>
    (await filled.tenant.request('GET', `/orders?${query}`)).body.data.pagination.total
  expect(await list('state_id=1&state_id=3')).toBe(3)
  expect([await list('state_id=1'), await list('state_id=3'), await list('state_id=7')]).toEqual([1, 2, 0])
})
