import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import { expectConsistentCounts, failure, newOrder, orderFor, spreadOrders } from '../../support/orders.ts'
import type { TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'

interface ListedOrder {
  id: number
  order_tenant_id: string
  state_id: number
  assembly_date: string
  created_at: string
}
interface List {
  orders: ListedOrder[]
  pagination: { total: number; page: number; limit: number; total_pages: number }
}

const list = async (tenant: TestTenant, query = ''): Promise<List> => {
  const { status, body } = await tenant.request('GET', `/orders${query}`)
  expect([query, status, body.error]).toEqual([query, 200, undefined])
  return body.data
}

const idsOf = ({ orders }: List): number[] => orders.map(({ id }) => id)

describe('listing orders', () => {
  it('lists newest first, with exactly the documented fields', async ({ tenant }) => {
    const first = await newOrder(tenant, { customer_name: 'Ada' })
    const second = await newOrder(tenant)
    await tenant.request('PUT', `/orders/${first.id}`, { state_id: 3 })
    const response = await list(tenant)
    expect(idsOf(response)).toEqual([second.id, first.id])
    expect(response.pagination).toEqual({ total: 2, page: 1, limit: 50, total_pages: 1 })
    expect(Object.entries(response.orders[1] ?? {})).toEqual([
      ['id', first.id],
      ['order_tenant_id', first.order_tenant_id],
      ['state_id', 3],
      ['state_name', 'In Progress'],
      ['assembly_date', '2026-11-30'],
      ['customer_name', 'Ada'],
      ['items_count', 1],
      ['created_at', expect.any(String)],
      ['updated_at', expect.any(String)],
    ])
  })

  it('is empty without orders and on a page past the end', async ({ tenant }) => {
    expect(await list(tenant)).toEqual({ orders: [], pagination: { total: 0, page: 1, limit: 50, total_pages: 0 } })
    await newOrder(tenant)
    for (const page of [2, 1_000, 9_007_199_254_740_991]) {
      expect(await list(tenant, `?page=${page}&limit=1`)).toEqual({
        orders: [],
        pagination: { total: 1, page, limit: 1, total_pages: 1 },
      })
    }
  })

  it('adds the lines of GET /orders/{id} with include_details', async ({ tenant }) => {
    const { id } = await newOrder(tenant)
    const { order_detail } = (await tenant.request('GET', `/orders/${id}`)).body.data
    for (const [value, expected] of [
      ['true', order_detail],
      ['1', order_detail],
      ['false', undefined],
      ['0', undefined],
    ]) {
      expect((await list(tenant, `?include_details=${value}`)).orders).toEqual([
        { ...(await list(tenant)).orders[0], ...(expected === undefined ? {} : { order_detail: expected }) },
      ])
    }
  })

  it.for([
    'page=0',
    'page=a',
    'limit=0',
    'limit=1.5',
    'limit=-1',
    'limit=',
    'state_id=4',
    'state_id=1&state_id=6',
    'state_id=x',
    'state_id=',
    'state_id=01',
    'start_date=2026-02-30',
    'end_date=today',
    'assembly_date=',
    'include_details=yes',
    'start_date=2026-01-01&start_date=2026-01-02',
    'customer_name=%00',
  ])('refuses %s', async (query, { tenant }) => {
    expect(failure(await tenant.request('GET', `/orders?${query}`))).toEqual([400, 'validation_error'])
  })

  it('treats a limit above 100 as 100, and returns 100 as the limit', async ({ tenant }) => {
    expect((await list(tenant, '?limit=500')).pagination.limit).toBe(100)
  })

  it('matches a substring of the customer name, ignoring case, without wildcards', async ({ tenant }) => {
    const { id } = await newOrder(tenant, { customer_name: 'Jürgen_50% \\ Müller' })
    await newOrder(tenant, { customer_name: 'Jurgen' })
    await newOrder(tenant)
    for (const part of ['JÜRGEN', 'mÜll', '_5', '0%', '\\', 'n_50% \\ m']) {
      expect(idsOf(await list(tenant, `?customer_name=${encodeURIComponent(part)}`))).toEqual([id])
    }
    expect((await list(tenant, '?customer_name=J%25n')).pagination.total).toBe(0)
    expect((await list(tenant, '?customer_name=gen')).pagination.total).toBe(2)
  })

  it('matches the client’s identifier exactly, combined with other filters', async ({ tenant }) => {
    const { id, order_tenant_id } = await newOrder(tenant, { order_tenant_id: 'A-1', customer_name: 'Ada' })
    await newOrder(tenant, { order_tenant_id: 'A-10', customer_name: 'Ada' })
    const filter = `order_tenant_id=${order_tenant_id}`
    for (const more of [
      '',
      '&customer_name=ada',
      '&state_id=1',
      '&assembly_date=2026-11-30',
      '&assembly_until=2026-11-30',
      '&assembly_until=2026-12-01&customer_name=ada',
      '&assembly_until=2026-12-01&customer_name=a',
      '&state_id=1&assembly_date=2026-11-30&customer_name=a',
    ]) {
      expect(await list(tenant, `?${filter}${more}`)).toMatchObject({ orders: [{ id }], pagination: { total: 1 } })
    }
    for (const more of [
      '&customer_name=bob',
      '&state_id=2',
      '&assembly_date=2026-11-29',
      '&assembly_until=2026-11-29',
      '&end_date=2020-01-01',
    ]) {
      expect(await list(tenant, `?${filter}${more}`)).toEqual({
        orders: [],
        pagination: { total: 0, page: 1, limit: 50, total_pages: 0 },
      })
    }
    expect((await list(tenant, '?order_tenant_id=a-1')).pagination.total).toBe(0)
  })

  it('does not list orders of another tenant', async ({ service, tenant }) => {
    await newOrder(tenant)
    const other = await service.newTenant()
    for (const query of ['', '?state_id=1', '?assembly_date=2026-11-30', '?customer_name=', '?page=100&limit=100']) {
      expect((await list(other, query)).pagination.total).toBe(0)
    }
  })
})

const newestFirst = (a: ListedOrder, b: ListedOrder): number =>
  a.created_at === b.created_at ? b.id - a.id : a.created_at < b.created_at ? 1 : -1

/** `listed` is a tenant with 2,500 orders, the newest first. */
const itOfMany = it.extend('listed', { scope: 'file' }, async ({ service }) => {
  const tenant = await service.newTenant()
  const { barcode } = await newProduct(tenant)
  const order = await orderFor(tenant, { order_detail: [{ barcode, quantity: 1 }] })
  for (const size of [1_000, 1_000, 500]) {
    const orders = Array.from({ length: size }, (_, index) => ({
      ...order,
      order_tenant_id: `${size} ${index} ${Math.random()}`,
    }))
    expect((await tenant.request('POST', '/orders', orders)).body.data.created_count).toBe(size)
  }
  await spreadOrders(service.db, tenant)
  const rows = await service.db.kysely
    .selectFrom('orders')
    .select(['id', 'order_tenant_id', 'state_id', 'assembly_date', 'created_at'])
    .where('tenant_id', '=', tenant.id)
    .execute()
  return { tenant, orders: rows.toSorted(newestFirst) }
})

describe('filters and pages of 2,500 orders', () => {
  const day = ({ created_at }: ListedOrder): string => created_at.slice(0, 10)
  const FILTERS: [string, (order: ListedOrder) => boolean][] = [
    ['', () => true],
    ['state_id=5', ({ state_id }) => state_id === 5],
    ['state_id=1&state_id=7&state_id=1', ({ state_id }) => state_id === 1 || state_id === 7],
    ['start_date=2026-03-08', (order) => day(order) >= '2026-03-08'],
    ['end_date=2026-03-04', (order) => day(order) <= '2026-03-04'],
    ['start_date=2026-03-02&end_date=2026-03-09', (order) => day(order) >= '2026-03-02' && day(order) <= '2026-03-09'],
    ['start_date=2026-03-05&end_date=2026-03-05&state_id=2', (order) => day(order) === '2026-03-05' && order.state_id === 2],
    ['start_date=2026-03-09&end_date=2026-03-02', () => false],
    ['assembly_date=2026-04-02', ({ assembly_date }) => assembly_date === '2026-04-02'],
    [
      'assembly_date=2026-04-02&state_id=3&state_id=5&start_date=2026-03-03',
      (order) => order.assembly_date === '2026-04-02' && [3, 5].includes(order.state_id) && day(order) >= '2026-03-03',
    ],
    ['assembly_until=2026-04-02', ({ assembly_date }) => assembly_date <= '2026-04-02'],
    [
      'assembly_until=2026-04-01&state_id=1&state_id=2',
      (order) => order.assembly_date <= '2026-04-01' && [1, 2].includes(order.state_id),
    ],
    [
      'assembly_until=2026-04-03&start_date=2026-03-03&end_date=2026-03-06',
      (order) => order.assembly_date <= '2026-04-03' && day(order) >= '2026-03-03' && day(order) <= '2026-03-06',
    ],
    ['assembly_until=2020-01-01', () => false],
    ['assembly_date=2026-04-02&assembly_until=2026-04-02', ({ assembly_date }) => assembly_date === '2026-04-02'],
    ['assembly_date=2026-04-02&assembly_until=2026-04-01', () => false],
    ['start_date=9999-12-31', () => false],
    ['end_date=9999-12-31&start_date=0001-01-01', () => true],
  ]

  for (const folded of [false, true]) {
    itOfMany.for(FILTERS)(
      `is counted exactly and paged without gaps, ${folded ? 'after' : 'before'} the counts are folded: %s`,
      async ([filter, matches], { service, listed: { tenant, orders } }) => {
        if (folded) while ((await foldAllCounts(service.db)) > 0);
        await expectConsistentCounts(service.db, tenant)
        const expected = orders.filter(matches)
        const pages = Math.ceil(expected.length / 100)
        const shown: number[] = []
        for (let page = 1; page <= pages + 1; page++) {
          const response = await list(tenant, `?${filter}&limit=100&page=${page}`)
          expect(response.pagination).toEqual({ total: expected.length, page, limit: 100, total_pages: pages })
          shown.push(...idsOf(response))
        }
        expect(shown).toEqual(expected.map(({ id }) => id))
      },
    )
  }

  itOfMany.for([1, 7, 33, 99])('has the same orders in pages of %d', async (limit, { listed: { tenant, orders } }) => {
    const shown: number[] = []
    for (const page of [1, 2, Math.floor(1_200 / limit), Math.ceil(2_500 / limit)]) {
      const response = await list(tenant, `?limit=${limit}&page=${page}`)
      expect(idsOf(response)).toEqual(orders.slice((page - 1) * limit, page * limit).map(({ id }) => id))
      shown.push(...idsOf(response))
    }
    expect(new Set(shown).size).toBe(shown.length)
  })
})
