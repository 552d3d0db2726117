import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'

interface Movement {
  id: string
  product_id: number
  location_id: string
  movement_type: 'IN' | 'OUT' | 'TRANSFER' | 'ADJUSTMENT'
  order_id: number | null
  created_at: string
}
interface Filters {
  product_id?: number
  location_id?: string
  movement_type?: string
  start_date?: string
  end_date?: string
  order_id?: number
}

const DAYS = ['2026-01-30', '2026-01-31', '2026-02-01', '2026-03-15']
const TIMES = ['00:00:00.000', '12:30:00.500', '23:59:59.999']
const TYPES = ['IN', 'OUT', 'ADJUSTMENT'] as const
const LOCATIONS = ['A', 'B', 'C']

/** A tenant with 240 movements of two products over four days, in the order in which they are listed. */
async function tenantWithHistory(service: TestService): Promise<{ tenant: TestTenant; products: number[]; history: Movement[] }> {
  const tenant = await service.newTenant()
  const products = [(await newProduct(tenant)).id, (await newProduct(tenant)).id]
  const warehouse = (await tenant.request('GET', '/warehouses')).body.data.warehouses[0].id as number
  const { kysely } = service.db
  await kysely
    .insertInto('locations')
    .values(LOCATIONS.map((id) => ({ tenant_id: tenant.id, id, code: id, warehouse_id: warehouse })))
    .execute()
  await kysely
    .insertInto('stock_levels')
    .values(
      products.flatMap((product_id) =>
        LOCATIONS.map((location_id) => ({ tenant_id: tenant.id, product_id, location_id, warehouse_id: warehouse, quantity: 0 })),
      ),
    )
    .execute()
  const rows = Array.from({ length: 240 }, (_, index) => ({
    tenant_id: tenant.id,
    product_id: products[index % 7 === 0 ? 1 : 0] ?? 0,
    location_id: LOCATIONS[index % 3] ?? '',
    movement_type: index % 50 === 3 ? ('TRANSFER' as const) : (TYPES[index % 4] ?? 'IN'),
    quantity: 1,
    previous_quantity: 0,
    new_quantity: 1,
    order_id: index % 20 === 0 ? 500 : null,
    // Twenty have the same time, so that the id decides.
    created_at: `${DAYS[Math.floor(index / 60)]}T${TIMES[Math.floor((index % 60) / 20)]}Z`,
  }))
  const inserted = await kysely.insertInto('stock_movements').values(rows).returning('id').execute()
  await kysely
    .insertInto('movement_count_changes')
    .values(
      rows.map(({ tenant_id, product_id, location_id, movement_type, created_at }) => ({
        tenant_id,
        product_id,
        location_id,
        movement_type,
        created_day: created_at.slice(0, 10),
        change: 1,
      })),
    )
    .execute()
  const history = rows.map((row, index) => Object.assign(row, { id: String(inserted[index]?.id) })).toReversed()
  return { tenant, products, history }
}

function matching(history: readonly Movement[], filters: Filters): Movement[] {
  return history.filter(
    (movement) =>
      (filters.product_id === undefined || movement.product_id === filters.product_id) &&
      (filters.location_id === undefined || movement.location_id === filters.location_id) &&
      (filters.movement_type === undefined || movement.movement_type === filters.movement_type) &&
      (filters.order_id === undefined || movement.order_id === filters.order_id) &&
      (filters.start_date === undefined || movement.created_at.slice(0, 10) >= filters.start_date) &&
      (filters.end_date === undefined || movement.created_at.slice(0, 10) <= filters.end_date),
  )
}

/** Every combination of the filters. */
function combinations(products: readonly number[]): Filters[] {
  const choices: Filters[][] = [
    [{}, { product_id: products[0] }, { product_id: products[1] }],
    [{}, { location_id: 'B' }],
    [{}, { movement_type: 'OUT' }, { movement_type: 'TRANSFER' }],
    [{}, { order_id: 500 }],
    [{}, { start_date: '2026-01-31' }, { end_date: '2026-01-31' }, { start_date: '2026-01-31', end_date: '2026-02-01' }],
  ]
  return choices.reduce<Filters[]>((all, some) => all.flatMap((filters) => some.map((more) => ({ ...filters, ...more }))), [{}])
}

interface Page extends Filters {
  page: number
  limit: number
}

/** The part of a page that tests compare. */
async function listed(tenant: TestTenant, query: Page) {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const { data } = (await tenant.request('GET', `/stock/movements?${parameters.toString()}`)).body
  return { query, pagination: data.pagination, ids: data.movements.map((movement: Movement) => movement.id) }
}

function expectedPage(history: readonly Movement[], query: Page) {
  const { page, limit } = query
  const all = matching(history, query).map(({ id }) => id)
  const pagination = { total: all.length, page, limit, total_pages: Math.ceil(all.length / limit) }
  return { query, pagination, ids: all.slice((page - 1) * limit, page * limit) }
}

describe('GET /stock/movements', () => {
  it('returns the same exact totals and pages for every combination of filters, before and after counts are folded', async ({
    service,
  }) => {
    const { tenant, products, history } = await tenantWithHistory(service)
    for (const step of ['not folded', 'folded', 'changed again'] as const) {
      if (step === 'folded') while ((await foldAllCounts(service.db)) > 0);
      if (step === 'changed again') {
        const { body } = await tenant.request('PUT', `/stock/product/${products[0]}`, { location_id: 'B', quantity: 1 })
        const created_at = new Date().toISOString()
        history.unshift({
          id: body.data.movement_id,
          product_id: products[0] ?? 0,
          location_id: 'B',
          movement_type: 'ADJUSTMENT',
          order_id: null,
          created_at,
        })
      }
      for (const filters of combinations(products)) {
        for (const page of [1, 2, 3]) {
          const query = { ...filters, page, limit: 50 }
          expect(await listed(tenant, query)).toEqual(expectedPage(history, query))
        }
      }
    }
  })

  it('lists every movement once for any page size', async ({ service }) => {
    const { tenant, history } = await tenantWithHistory(service)
    await foldAllCounts(service.db)
    for (const limit of [7, 60, 100]) {
      for (let page = 1; page <= Math.ceil(history.length / limit) + 1; page++) {
        expect(await listed(tenant, { page, limit })).toEqual(expectedPage(history, { page, limit }))
      }
    }
  })

  it('includes user_id and order_id only if they exist', async ({ service }) => {
    const { tenant } = await tenantWithHistory(service)
    const { movements } = (await tenant.request('GET', '/stock/movements?limit=100')).body.data
    expect(movements.filter((movement: object) => 'order_id' in movement)).toHaveLength(5)
    expect(movements.some((movement: object) => 'user_id' in movement)).toBe(false)
    expect(Object.keys(movements[0])).toEqual([
      'id',
      'product_id',
      'product_name',
      'location_id',
      'movement_type',
      'quantity',
      'previous_quantity',
      'new_quantity',
      'reason',
      'created_at',
    ])
  })

  it('shows the product’s current name', async ({ tenant }) => {
    const product = await newProduct(tenant, { name: 'Old name' })
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 1 })
    await tenant.request('PUT', `/products/${product.id}`, { name: 'New name' })
    expect((await tenant.request('GET', '/stock/movements')).body.data.movements[0].product_name).toBe('New name')
  })

  it('does not list movements of another tenant', async ({ service, tenant }) => {
    const { products } = await tenantWithHistory(service)
    for (const query of ['', '?order_id=500', '?location_id=A', `?product_id=${products[0]}`]) {
      const { data } = (await tenant.request('GET', `/stock/movements${query}`)).body
      expect(data).toEqual({ movements: [], pagination: { total: 0, page: 1, limit: 50, total_pages: 0 } })
    }
  })

  it('treats a limit above 100 as 100, and returns an empty page past the end', async ({ service }) => {
    const { tenant } = await tenantWithHistory(service)
    const all = (await tenant.request('GET', '/stock/movements?limit=1000')).body.data
    expect([all.movements.length, all.pagination.limit]).toEqual([100, 100])
    const last = Number.MAX_SAFE_INTEGER
    const beyond = (await tenant.request('GET', `/stock/movements?page=${last}&limit=100`)).body.data
    expect(beyond).toEqual({ movements: [], pagination: { total: 240, page: last, limit: 100, total_pages: 3 } })
  })

  it.for([
    'page=0',
    'page=x',
    'limit=0',
    'limit=1.5',
    'product_id=x',
    'product_id=0',
    'order_id=-1',
    'movement_type=in',
    'movement_type=',
    'location_id=',
    'start_date=2026-02-30',
    'end_date=yesterday',
    'start_date=0000-01-01',
    'location_id=%00',
  ])('refuses %s', async (query, { tenant }) => {
    const response = await tenant.request('GET', `/stock/movements?${query}`)
    expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toContain(query.slice(0, query.indexOf('=')))
  })
})
