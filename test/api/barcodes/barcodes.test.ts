import { describe, expect } from 'vitest'
import { newOrder, orderFor } from '../../support/orders.ts'
import { it } from '../../support/shared-service.ts'
import type { TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'

const add = (tenant: TestTenant, product: { id: number }, body: object) =>
  tenant.request('POST', `/products/${product.id}/barcodes`, body)
const remove = (tenant: TestTenant, product: { id: number }, barcode: string) =>
  tenant.request('DELETE', `/products/${product.id}/barcodes/${encodeURIComponent(barcode)}`)
const list = async (tenant: TestTenant, product: { id: number }) =>
  (await tenant.request('GET', `/products/${product.id}/barcodes`)).body.data.barcodes

describe('additional barcodes of a product', () => {
  it('are added, listed in order and removed', async ({ tenant }) => {
    const product = await newProduct(tenant, { barcode: '4006381333931' })
    const pack = (await add(tenant, product, { barcode: ' 14006381333938 ', quantity: 12, name: 'case of 12' })).body.data
    expect(pack).toEqual({
      barcode: '14006381333938',
      quantity: 12,
      name: 'case of 12',
      is_primary: false,
      created_at: expect.any(String),
    })
    const other = (await add(tenant, product, { barcode: 'A/B 7', quantity: null, name: null })).body.data
    expect(other).toMatchObject({ barcode: 'A/B 7', quantity: 1, name: null })
    const [primary, ...additional] = await list(tenant, product)
    expect(primary).toMatchObject({ barcode: '4006381333931', quantity: 1, name: null, is_primary: true })
    expect(additional).toEqual([pack, other])

    expect((await remove(tenant, product, '4006381333931')).body.error).toMatchObject({ code: 'validation_error' })
    expect((await remove(tenant, product, 'A/B 7')).body.data).toMatchObject({ product_id: product.id, barcode: 'A/B 7' })
    expect((await remove(tenant, product, 'A/B 7')).body.error.code).toBe('not_found')
    expect(await list(tenant, product)).toHaveLength(2)
    // It is free again.
    expect((await newProduct(tenant, { barcode: 'A/B 7' })).id).toEqual(expect.any(Number))
  })

  it('are unique among all barcodes of the tenant, those of deleted products too', async ({ tenant, service }) => {
    const [one, other] = [await newProduct(tenant, { barcode: 'one' }), await newProduct(tenant, { barcode: 'other' })]
    const code = async (response: Promise<{ body: { error?: { code: string } } }>) => (await response).body.error?.code
    await add(tenant, one, { barcode: 'pack', quantity: 6 })
    expect(await code(add(tenant, other, { barcode: 'pack', quantity: 6 }))).toBe('already_exists')
    expect(await code(add(tenant, other, { barcode: 'one' }))).toBe('already_exists')
    expect(await code(add(tenant, one, { barcode: 'one' }))).toBe('already_exists')
    expect(await code(add(tenant, one, { barcode: 'pack', quantity: 7 }))).toBe('already_exists')
    expect(await code(add(tenant, one, { barcode: 'pack', quantity: 6, name: 'six' }))).toBe('already_exists')
    const before = await list(tenant, one)
    expect((await add(tenant, one, { barcode: 'pack', quantity: 6 })).body.data).toEqual(before[1])
    await tenant.request('DELETE', `/products/${one.id}`)
    expect(await code(add(tenant, other, { barcode: 'one' }))).toBe('already_exists')
    expect(await code(add(tenant, other, { barcode: 'pack', quantity: 6 }))).toBe('already_exists')
    expect(await code(tenant.request('POST', '/products', { barcode: 'pack', name: 'Tea' }))).toBe('already_exists')
    const neighbour = await service.newTenant()
    const theirs = await newProduct(neighbour, { barcode: 'pack' })
    expect((await add(neighbour, theirs, { barcode: 'one' })).status).toBe(200)
  })

  it('have a limit and a quantity that the product can have', async ({ tenant }) => {
    const product = await newProduct(tenant)
    const weighable = await newProduct(tenant, { weighable: true })
    expect((await add(tenant, product, { barcode: 'half', quantity: 0.5 })).body.error).toMatchObject({
      code: 'validation_error',
      details: [{ path: 'quantity' }],
    })
    expect((await add(tenant, weighable, { barcode: 'half', quantity: 0.5 })).body.data.quantity).toBe(0.5)
    for (const quantity of [0, -1, 0.0001, 1_000_000_000_000, '1'])
      expect((await add(tenant, weighable, { barcode: 'none', quantity })).body.error.code).toBe('validation_error')
    await Promise.all(Array.from({ length: 100 }, (_, index) => add(tenant, product, { barcode: `pack ${index}`, quantity: 2 })))
    expect((await add(tenant, product, { barcode: 'one more' })).body.error.code).toBe('validation_error')
    expect((await add(tenant, product, { barcode: 'pack 7', quantity: 2 })).status).toBe(200)
    expect(await list(tenant, product)).toHaveLength(101)
  })

  it('belong to one caller when several ask for a barcode at the same time', { timeout: 120_000 }, async ({ tenant }) => {
    const products = [await newProduct(tenant), await newProduct(tenant)]
    for (let round = 0; round < 15; round++) {
      const barcode = `wanted ${round}`
      const responses = await Promise.all([
        ...products.flatMap((product) => [1, 2].map((quantity) => add(tenant, product, { barcode, quantity }))),
        tenant.request('POST', '/products', { barcode, name: 'Tea' }),
        tenant.request('POST', '/products', { barcode, name: 'Tea' }, { headers: { 'idempotency-key': barcode } }),
        tenant.request('POST', '/products/bulk', { products: [{ barcode, name: 'Salt', price: 1 }] }),
      ])
      const made = responses.slice(0, -1).filter(({ status }) => status === 200).length
      const { created, updated, errors } = responses.at(-1)!.body.data
      // Bulk creates it, updates the product that was created, or fails.
      expect([round, made + created, created + updated + errors.length]).toEqual([round, 1, 1])
      expect(responses.filter(({ status }) => ![200, 409].includes(status))).toEqual([])
      const named = (await tenant.request('GET', `/scan?code=${encodeURIComponent(barcode)}`)).body.data
      expect(updated === 1 ? named.pack_quantity : 1).toBe(1)
    }
  })

  it('are item errors of bulk calls, and of their check', async ({ tenant }) => {
    const product = await newProduct(tenant, { barcode: 'one' })
    await add(tenant, product, { barcode: 'pack', quantity: 6 })
    const items = [
      { barcode: 'pack', name: 'Pack' },
      { barcode: 'one', name: 'Tea' },
      { barcode: 'new', name: 'Salt' },
    ]
    for (const path of ['/products/bulk/check', '/products/bulk']) {
      const { data } = (await tenant.request('POST', path, { products: items })).body
      expect(data).toEqual({
        created: 1,
        updated: 1,
        errors: [{ barcode: 'pack', index: 0, error: 'barcode: is an additional barcode of another product' }],
      })
    }
  })

  it('are refused of an unknown product', async ({ tenant, service }) => {
    const { id } = await newProduct(await service.newTenant(), { barcode: 'theirs' })
    for (const response of [
      await add(tenant, { id }, { barcode: 'new' }),
      await remove(tenant, { id }, 'theirs'),
      await tenant.request('GET', `/products/${id}/barcodes`),
    ])
      expect([response.status, response.body.error.code]).toEqual([404, 'not_found'])
  })
})

describe('POST /orders', () => {
  it('takes additional barcodes of single units, exactly, and keeps them', async ({ tenant, service }) => {
    const product = await newProduct(tenant, { barcode: '4006381333931', price: 3 })
    const inactive = await newProduct(tenant)
    await add(tenant, product, { barcode: 'other', quantity: 1 })
    await add(tenant, product, { barcode: 'pack', quantity: 6 })
    await add(tenant, inactive, { barcode: 'gone' })
    await tenant.request('DELETE', `/products/${inactive.id}`)
    const order = (barcode: string, id: string) => ({
      order_tenant_id: id,
      assembly_date: '2030-01-31',
      order_detail: [
        { barcode, quantity: 2 },
        { barcode: '4006381333931', quantity: 1 },
      ],
    })
    for (const policy of ['off', 'track']) {
      await tenant.request('PUT', '/settings', { reservation_policy: policy })
      const { id } = await newOrder(tenant, order('other', `O-${policy}`))
      const { body } = await tenant.request('GET', `/orders/${id}`)
      expect(body.data.order_detail).toMatchObject([
        { product_id: product.id, barcode: 'other', quantity: 2, price: 3 },
        { product_id: product.id, barcode: '4006381333931' },
      ])
      for (const barcode of ['pack', 'gone', 'Other', '04006381333931', '(01)04006381333931']) {
        const refused = await tenant.request('POST', '/orders', order(barcode, `R-${policy}`))
        expect([barcode, refused.body.error?.code]).toEqual([barcode, 'creation_error'])
      }
      const keyed = await tenant.request('POST', '/orders', order('other', `K-${policy}`), {
        headers: { 'idempotency-key': policy },
      })
      expect(keyed.body.data.created_count).toBe(1)
    }
    const many = Array.from({ length: 150 }, (_, index) => order(index === 149 ? 'other' : '4006381333931', `M-${index}`))
    expect((await tenant.request('POST', '/orders', many)).body.data.created_count).toBe(150)
    const { rows } = await service.db.dedicatedPool.query(
      'select count(*)::int as n from order_lines where tenant_id = $1 and product_id = $2',
      [tenant.id, product.id],
    )
    expect(rows[0].n).toBe(308)
  })

  it('says of the barcode of a pack how its units are ordered', async ({ tenant }) => {
    const product = await newProduct(tenant, { barcode: 'own' })
    const inactive = await newProduct(tenant)
    await add(tenant, product, { barcode: 'pack', quantity: 6 })
    await add(tenant, inactive, { barcode: 'gone', quantity: 6 })
    await tenant.request('DELETE', `/products/${inactive.id}`)
    const order_detail = ['own', 'pack', 'nothing', 'gone', 'pack', 'nothing'].map((barcode) => ({ barcode, quantity: 1 }))
    for (const policy of ['off', 'strict']) {
      await tenant.request('PUT', '/settings', { reservation_policy: policy })
      for (const headers of [{}, { 'idempotency-key': policy }] as Record<string, string>[]) {
        const { body } = await tenant.request('POST', '/orders', await orderFor(tenant, { order_detail }), { headers })
        expect([body.error.code, body.error.details]).toEqual([
          'creation_error',
          [
            {
              index: 0,
              error:
                'no active product has the barcode "nothing", "gone"; "pack" is the barcode of a pack of 6: order single units by the barcode "own"',
            },
          ],
        ])
      }
    }
  })
})
