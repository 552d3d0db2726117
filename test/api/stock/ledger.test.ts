import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import type { TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'

const adjust = (tenant: TestTenant, product_id: number, location_id: string, adjustment_quantity: number) =>
  tenant.request('POST', '/stock/adjustment', { product_id, location_id, adjustment_quantity })

const reconcile = async (tenant: TestTenant, query = '') => (await tenant.request('GET', `/stock/reconcile${query}`)).body.data

describe('GET /stock/reconcile', () => {
  it('finds that every level is the sum of its movements', async ({ tenant }) => {
    const [one, two] = [await newProduct(tenant), await newProduct(tenant)]
    await adjust(tenant, one.id, 'A', 12.5)
    await adjust(tenant, one.id, 'A', -2.25)
    await tenant.request('PUT', `/stock/product/${two.id}`, { location_id: 'B', quantity: 7 })
    await tenant.request('POST', '/stock/transfer', {
      product_id: one.id,
      from_location_id: 'A',
      to_location_id: 'C',
      quantity: 1,
    })
    const warehouse = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data.id
    await tenant.request('PUT', '/locations/A', { warehouse_id: warehouse })
    expect(await reconcile(tenant)).toEqual({
      is_balanced: true,
      products_checked: 2,
      levels_checked: 3,
      movements_checked: 5,
      differences: [],
      next_cursor: null,
    })
  })

  it.for(['cursor', 'after'])('checks some products at a time by `%s`, each of them once', async (name, { tenant }) => {
    for (let n = 0; n < 5; n++) await adjust(tenant, (await newProduct(tenant)).id, 'A', 1)
    const checked: number[] = []
    let after = 0
    for (let next: number | null = 0; next !== null; after = next ?? 0) {
      const page = await reconcile(tenant, `?limit=2&${name}=${after}`)
      checked.push(page.levels_checked)
      next = page.next_cursor
    }
    expect(checked).toEqual([2, 2, 1])
  })

  it('reports levels that were changed without a movement', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    await adjust(tenant, product.id, 'A', 5)
    await sql`update stock_levels set quantity = 6 where tenant_id = ${tenant.id}`.execute(service.db.kysely)
    const { is_balanced, differences } = await reconcile(tenant)
    expect(is_balanced).toBe(false)
    expect(differences).toEqual([
      { kind: 'level', product_id: product.id, location_id: 'A', warehouse_id: expect.any(Number), recorded: 6, expected: 5 },
      {
        kind: 'warehouse_total',
        product_id: product.id,
        location_id: null,
        warehouse_id: expect.any(Number),
        recorded: 5,
        expected: 6,
      },
    ])
  })

  it('neither waits for stock changes nor blocks them', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    await adjust(tenant, product.id, 'A', 5)
    const writer = await service.db.dedicatedPool.connect()
    await writer.query('begin')
    await writer.query('update stock_levels set quantity = 9 where tenant_id = $1', [tenant.id])
    expect(await reconcile(tenant)).toMatchObject({ is_balanced: true, levels_checked: 1 })
    await writer.query('rollback')
    writer.release()
  })
})

describe('the movements table', () => {
  it.for(['update stock_movements set quantity = 1', 'delete from stock_movements', 'truncate stock_movements'])(
    'refuses %s',
    async (change, { service }) => {
      await expect(service.db.dedicatedPool.query(change)).rejects.toThrow('stock_movements is append-only')
    },
  )
})

describe('GET /stock/sku/{sku}?as_of=', () => {
  it('returns the stock at that time', async ({ tenant }) => {
    const product = await newProduct(tenant)
    const now = async (): Promise<string> => {
      await delay(5)
      const moment = new Date().toISOString()
      await delay(5)
      return moment
    }
    const stock = async (asOf?: string) =>
      (await tenant.request('GET', `/stock/sku/${product.sku}${asOf === undefined ? '' : `?as_of=${encodeURIComponent(asOf)}`}`))
        .body.data
    const before = await now()
    await adjust(tenant, product.id, 'A', 10)
    const afterFirst = await now()
    await adjust(tenant, product.id, 'B', 5)
    await adjust(tenant, product.id, 'A', -4)
    const today = new Date().toISOString().slice(0, 10)

    expect(await stock(before)).toMatchObject({ total_quantity: 0, locations: [] })
    expect(await stock(afterFirst)).toMatchObject({ total_quantity: 10, locations: [{ location_id: 'A', quantity: 10 }] })
    expect(await stock(afterFirst.replace('Z', '+00:00'))).toMatchObject({ total_quantity: 10 })
    expect(await stock('2020-01-01')).toMatchObject({ total_quantity: 0 })
    const present = await stock()
    expect(present).toMatchObject({
      total_quantity: 11,
      locations: [
        { location_id: 'A', quantity: 6 },
        { location_id: 'B', quantity: 5 },
      ],
    })
    expect(await stock(today)).toEqual(present)
    expect(await stock(await now())).toEqual(present)
  })

  it('includes a movement from the millisecond of its listed time', async ({ tenant }) => {
    const product = await newProduct(tenant)
    await adjust(tenant, product.id, 'A', 3)
    const [movement] = (await tenant.request('GET', '/stock/movements')).body.data.movements
    expect((await tenant.request('GET', `/stock/sku/${product.sku}?as_of=${movement.created_at}`)).body.data.total_quantity).toBe(
      3,
    )
  })

  it('rejects an invalid time and an unknown SKU', async ({ tenant }) => {
    const product = await newProduct(tenant)
    for (const asOf of ['yesterday', '2026-02-30', '', '2026-01-01T25:00:00Z']) {
      const { status, body } = await tenant.request('GET', `/stock/sku/${product.sku}?as_of=${asOf}`)
      expect([asOf, status, body.error?.code]).toEqual([asOf, 400, 'validation_error'])
    }
    expect((await tenant.request('GET', '/stock/sku/none?as_of=2026-01-01')).status).toBe(404)
  })
})
