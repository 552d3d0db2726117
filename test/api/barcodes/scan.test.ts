import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { dateOf } from '@fulfillment/codes/gs1-elements.ts'
import { readCode } from '@fulfillment/codes/read-code.ts'
import { newOrder } from '../../support/orders.ts'
import { it } from '../../support/shared-service.ts'
import type { TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'
import { CODES, PRODUCTS, type Says, WEIGHT_BARCODES } from './codes.ts'

const scan = (tenant: TestTenant, code: string, key?: string) =>
  tenant.request('GET', `/scan?code=${encodeURIComponent(code)}`, undefined, key === undefined ? {} : { key })

/** Creates the products of the table. */
async function createProducts(tenant: TestTenant): Promise<Map<number, string>> {
  await tenant.request('PUT', '/settings', { weight_barcodes: WEIGHT_BARCODES })
  const names = new Map<number, string>()
  for (const [name, { barcode, weighable = false, packs = [] }] of Object.entries(PRODUCTS)) {
    const { id } = await newProduct(tenant, { barcode, weighable, name })
    for (const [pack, quantity] of packs) await tenant.request('POST', `/products/${id}/barcodes`, { barcode: pack, quantity })
    names.set(id, name)
  }
  const gone = [...names].find(([, name]) => name === 'gone')
  await tenant.request('DELETE', `/products/${gone?.[0]}`)
  return names
}

describe('GET /scan', () => {
  it('reads codes by the rules of GS1, and nothing of malformed ones', { timeout: 600_000 }, async ({ tenant }) => {
    const names = await createProducts(tenant)
    expect(CODES.length).toBeGreaterThan(120)
    const said: [string, string, Says | null][] = []
    for (const [rule, code] of CODES) {
      const { status, body } = await scan(tenant, code)
      if (status !== 200) expect([code, status, body.error.code]).toEqual([code, 404, 'not_found'])
      said.push([rule, code, status === 200 ? shown(body.data, names) : null])
    }
    const expected = CODES.map(([rule, code, says]) => [
      rule,
      code,
      says?.product === undefined ? says : { pack_quantity: 1, ...says },
    ])
    expect(said).toEqual(expected)
  })

  it('says all fields of a product, and which barcode matched', async ({ tenant }) => {
    const product = await newProduct(tenant, { barcode: '4006381333931', name: 'Green tea' })
    await tenant.request('POST', `/products/${product.id}/barcodes`, { barcode: '14006381333938', quantity: 12 })
    const { body } = await scan(tenant, '(01)14006381333938(10)L1(21)S1(17)270331')
    expect(body.data).toEqual({
      code: '(01)14006381333938(10)L1(21)S1(17)270331',
      product: {
        id: product.id,
        sku: product.sku,
        barcode: '4006381333931',
        name: 'Green tea',
        weighable: false,
        is_active: true,
      },
      barcode: '14006381333938',
      pack_quantity: 12,
      quantity: 12,
      gtin: '14006381333938',
      lot: 'L1',
      serial: 'S1',
      expires_on: '2027-03-31',
      weight: null,
      count: null,
      location: null,
      order: null,
    })
  })

  it('finds a location by id, else by code, and an order, for keys that may read them', async ({ tenant }) => {
    await newProduct(tenant, { barcode: 'P-1' })
    const order = await newOrder(tenant, { order_tenant_id: 'B', order_detail: [{ barcode: 'P-1', quantity: 1 }] })
    await tenant.request('POST', '/locations', { id: 'A', code: 'B' })
    await tenant.request('POST', '/locations', { id: 'B', code: 'C', name: 'Shelf' })
    const { body } = await scan(tenant, ' B ')
    expect(body.data).toMatchObject({ code: ' B ', product: null, barcode: null, pack_quantity: null, quantity: null })
    expect(body.data.location).toMatchObject({ id: 'B', code: 'C', name: 'Shelf' })
    expect(body.data.order).toEqual({ id: order.id, order_tenant_id: 'B', state_id: 1 })
    expect((await scan(tenant, 'C')).body.data).toMatchObject({ location: { id: 'B' }, order: null })

    const products = (await tenant.request('POST', '/api-keys', { name: 'products', scopes: ['read:products'] })).body.data.key
    expect([(await scan(tenant, 'B', products)).status, (await scan(tenant, 'P-1', products)).status]).toEqual([404, 200])
    const orders = await tenant.request('POST', '/api-keys', { name: 'orders', scopes: ['read:products', 'read:orders'] })
    expect((await scan(tenant, 'B', orders.body.data.key)).body.data).toMatchObject({ location: null, order: { id: order.id } })
    const stock = await tenant.request('POST', '/api-keys', { name: 'stock', scopes: ['read:products', 'read:stock'] })
    expect((await scan(tenant, 'B', stock.body.data.key)).body.data).toMatchObject({ location: { id: 'B' }, order: null })
  })

  it('refuses what is no code', async ({ tenant }) => {
    for (const query of ['', '?code=', `?code=${'x'.repeat(2_049)}`, '?code=%00', '?code=a%00b']) {
      const { status, body } = await tenant.request('GET', `/scan${query}`)
      expect([query.slice(0, 20), status, body.error.code]).toEqual([query.slice(0, 20), 400, 'validation_error'])
    }
    const unknown = await scan(tenant, 'x'.repeat(2_048))
    expect([unknown.status, unknown.body.error.message]).toEqual([404, 'No product, location or order has this code'])
  })

  it('answers any text without a 5xx', { timeout: 600_000 }, async ({ tenant }) => {
    await createProducts(tenant)
    await fc.assert(
      fc.asyncProperty(code, async (text) => {
        const { status } = await scan(tenant, text)
        expect([text, status < 500]).toEqual([text, true])
      }),
      { numRuns: 150, seed: 7 },
    )
  })
})

/** Codes and pieces of codes, up to 2,048 characters. */
const piece = fc.oneof(
  fc.constantFrom(
    ']C1',
    ']d2',
    '01',
    '09501101530003',
    '(01)',
    '(10)',
    '\u001D',
    '3103',
    '17',
    '00',
    'https://a/01/',
    '/',
    '?',
    '%',
    '(',
    '21',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.stringMatching(/^\d{1,20}$/),
)
const code = fc
  .array(piece, { minLength: 1, maxLength: 400 })
  .map((pieces) => pieces.join('').slice(0, 2_048).toWellFormed().replaceAll('\0', '0'))
  .filter((text) => text !== '')

describe('reading a code', () => {
  it('takes a time that does not grow with its square', () => {
    // Each of these made some expression for codes slow in some program.
    const long = 2_048
    const hostile = [
      '(01',
      '((((',
      '(01)',
      '(10)A',
      '\u001D',
      '01',
      ']C1',
      'https://a/01/',
      '/01',
      '%',
      '0',
      '10A\u001D',
      '?17=1&',
      ' ',
    ]
    const texts = hostile.flatMap((text) => [
      text.repeat(long).slice(0, long),
      `]C1${text.repeat(long)}`.slice(0, long),
      `(01)${text.repeat(long)}`.slice(0, long),
      `https://a/01/09501101530003?${text.repeat(long)}`.slice(0, long),
    ])
    const read = () => {
      const startedAt = process.cpuUsage().user
      for (const text of texts) readCode(text, { weightPatterns: [], year: 2026 })
      return (process.cpuUsage().user - startedAt) / texts.length
    }
    // Processor time in microseconds, the best of three: what is quadratic takes 100 times as long.
    expect(Math.min(read(), read(), read())).toBeLessThan(5_000)
    fc.assert(
      fc.property(code, (text) => {
        for (const { barcodes } of readCode(text, { weightPatterns: WEIGHT_BARCODES, year: 2026 }))
          expect(barcodes.length).toBeLessThan(5)
      }),
      { seed: 7 },
    )
  })

  it('gives a date the century that is nearest', () => {
    // GS1 General Specifications, 7.12: 51 years ahead or more is the century before, 50 years back or more the next one.
    const cases = [
      [2026, '760101', '2076-01-01'],
      [2026, '770101', '1977-01-01'],
      [2026, '990101', '1999-01-01'],
      [2026, '000229', '2000-02-29'],
      [2060, '100101', '2110-01-01'],
      [2060, '110101', '2011-01-01'],
      [2099, '490131', '2149-01-31'] as const,
      [2099, '500131', '2050-01-31'],
      [2049, '990101', '2099-01-01'],
      [2048, '990101', '1999-01-01'],
      [2060, '000229', undefined],
      [2060, '000200', '2100-02-28'],
    ] as const
    expect(cases.map(([year, text]) => [year, text, dateOf(text, year)])).toEqual(cases)
  })
})

/** What the response says: fields that are not null. */
function shown(
  { code: sent, barcode, product, location, order, ...fields }: Record<string, unknown>,
  names: ReadonlyMap<number, string>,
): Says {
  expect(sent).toEqual(expect.any(String))
  expect([location, order, barcode === null]).toEqual([null, null, product === null])
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
  return product === null ? given : { ...given, product: names.get((product as { id: number }).id) ?? '' }
}
