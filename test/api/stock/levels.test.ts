import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'

async function stockedTenant(
  service: TestService,
  products: number,
  locations: readonly string[],
): Promise<{ tenant: TestTenant; keys: string[] }> {
  const tenant = await service.newTenant()
  const keys: string[] = []
  for (let number = 0; number < products; number++) {
    const { id } = await newProduct(tenant)
    const updates = locations.map((location_id, index) => ({ product_id: id, location_id, quantity: index + 0.5 }))
    await tenant.request('POST', '/stock/bulk', { updates })
    keys.push(...locations.map((location) => `${id} ${location}`))
  }
  return { tenant, keys }
}

const keyOf = ({ product_id, location_id }: { product_id: number; location_id: string }): string => `${product_id} ${location_id}`

describe('GET /stock/levels', () => {
  it.for(['cursor', 'after'])(
    'lists each level once, page by page by `%s`, ordered by product and location',
    async (name, { service }) => {
      const { tenant, keys } = await stockedTenant(service, 3, ['A', 'A/1', 'B 2', '📦'.repeat(33)])
      const seen: string[] = []
      let after = ''
      do {
        const { body } = await tenant.request('GET', `/stock/levels?limit=2${after && `&${name}=${encodeURIComponent(after)}`}`)
        seen.push(...body.data.levels.map(keyOf))
        after = body.data.next_cursor
      } while (after !== null)
      expect(seen).toEqual(keys)
    },
  )

  it('names product and location, also for a deleted product and a quantity of 0', async ({ tenant }) => {
    const product = await newProduct(tenant)
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 0 })
    await tenant.request('PUT', '/locations/A', { code: 'Shelf 1' })
    await tenant.request('DELETE', `/products/${product.id}`)
    const { body } = await tenant.request('GET', '/stock/levels')
    const { barcode, sku, name: product_name } = product
    expect(body.data).toEqual({
      levels: [
        {
          product_id: product.id,
          sku,
          barcode,
          product_name,
          is_active: false,
          location_id: 'A',
          location_code: 'Shelf 1',
          warehouse_id: expect.any(Number),
          quantity: 0,
        },
      ],
      next_cursor: null,
    })
  })

  it('rejects two cursors', async ({ tenant }) => {
    const { status, body } = await tenant.request('GET', '/stock/levels?cursor=1/A&after=1/B')
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
  })

  it.for(['', '1', 'A/1', '1/', `1/${'x'.repeat(65)}`, '1/%00'])('refuses the cursor "%s"', async (after, { tenant }) => {
    const { status, body } = await tenant.request('GET', `/stock/levels?after=${after}`)
    expect([status, body.error]).toEqual([400, expect.objectContaining({ code: 'validation_error' })])
    expect(body.error.message).toContain('after')
  })
})
