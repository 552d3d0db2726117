import { describe, expect } from 'vitest'
import { it } from './it.ts'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import { failure } from '../../support/orders.ts'
import { pick, startedFlow, stockedProduct } from '../../support/picking.ts'
import { start, complete, cancel, orderOf, flowOf } from './calls.ts'

describe('GET /flows/{id}', () => {
  it('shows the remaining quantities, their locations in the order’s warehouse, and the picks', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { 'B-1': 2, 'A-1': 10, empty: 0, elsewhere: 5 })
    const rice = await stockedProduct(tenant, {})
    const warehouse = (await tenant.request('POST', '/warehouses', { name: 'East' })).body.data
    await tenant.request('PUT', '/locations/elsewhere', { warehouse_id: warehouse.id })
    await tenant.request('PUT', '/locations/A-1', { code: 'Aisle 1' })
    const { order, flow } = await startedFlow(tenant, [
      [tea, 3],
      [rice, 4],
    ])
    const [first, second] = (await orderOf(tenant, order)).order_detail
    const taken = (await pick(tenant, flow, { barcode: tea.barcode, location_id: 'B-1', quantity: 1 })).body.data.pick
    const more = (await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A-1', quantity: 2 })).body.data.pick
    const listed = (await tenant.request('GET', '/flows')).body.data.flows[0]
    expect(await flowOf(tenant, flow)).toEqual({
      ...listed,
      lines: [
        {
          order_detail_id: first.id,
          product_id: tea.id,
          barcode: tea.barcode,
          product_name: tea.name,
          quantity: 3,
          picked_quantity: 3,
          remaining: 0,
          locations: [
            { location_id: 'A-1', location_code: 'Aisle 1', quantity: 8 },
            { location_id: 'B-1', location_code: 'B-1', quantity: 1 },
          ],
        },
        {
          order_detail_id: second.id,
          product_id: rice.id,
          barcode: rice.barcode,
          product_name: rice.name,
          quantity: 4,
          picked_quantity: 0,
          remaining: 4,
          locations: [],
        },
      ],
      picks: [taken, more],
    })
  })

  it('shows the first 50 locations of a product in pick order, in each of its lines', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const ids = Array.from({ length: 53 }, (_, index) => `L${10 + index}`)
    const updates = ids.map((location_id) => ({ product_id: tea.id, location_id, quantity: 2 }))
    await tenant.request('POST', '/stock/bulk', { updates })
    await tenant.request('PUT', '/locations/L62', { pick_sequence: 1 })
    await tenant.request('PUT', '/locations/L11', { pickable: false })
    const { flow } = await startedFlow(tenant, [
      [tea, 2],
      [tea, 3],
    ])
    const shown = async () =>
      (await flowOf(tenant, flow)).lines.map(({ locations }: { locations: { location_id: string }[] }) =>
        locations.map(({ location_id }) => location_id),
      )
    const first = ['L62', 'L10', ...ids.slice(2, 50)]
    expect(await shown()).toEqual([first, first])
    // Those behind them follow when the first ones are empty.
    await pick(tenant, flow, { product_id: tea.id, location_id: 'L62', quantity: 2 })
    const then = ['L10', ...ids.slice(2, 51)]
    expect(await shown()).toEqual([then, then])
  })

  it('returns not_found and invalid_id', async ({ tenant }) => {
    expect(failure(await tenant.request('GET', '/flows/999999'))).toEqual([404, 'not_found'])
    expect(failure(await tenant.request('GET', '/flows/abc'))).toEqual([400, 'invalid_id'])
  })
})

describe('GET /flows', () => {
  it('filters by the time of completion, the last completed first, also together with other filters', async ({
    service,
    tenant,
  }) => {
    const tea = await stockedProduct(tenant, { A: 9 })
    const flows = []
    for (let count = 0; count < 4; count++) flows.push(await startedFlow(tenant, [[tea, 1]]))
    const [first, second, third] = flows as [(typeof flows)[number], (typeof flows)[number], (typeof flows)[number]]
    for (const { flow } of [third, second, first]) await complete(tenant, flow)
    await service.db.dedicatedPool.query(`update picking_flows set completed_at = '2026-01-31T23:59:59Z' where id = $1`, [
      second.flow,
    ])
    const found = async (query: string): Promise<[ids: number[], total: number]> => {
      const { body } = await tenant.request('GET', `/flows?${query}`)
      return [body.data.flows.map(({ id }: { id: number }) => id), body.data.pagination.total]
    }
    expect(await found('completed_since=2026-02-01')).toEqual([[first.flow, third.flow], 2])
    expect(await found('completed_since=2026-01-31')).toEqual([[first.flow, third.flow, second.flow], 3])
    expect(await found('completed_since=2026-01-31T23:59:59Z&limit=1&page=3')).toEqual([[second.flow], 3])
    expect(await found(`completed_since=2026-02-01&order_id=${first.order.id}`)).toEqual([[first.flow], 1])
    expect(await found(`completed_since=2026-02-01&order_id=${second.order.id}`)).toEqual([[], 0])
    const operator = 'operator_email=ADA@example.com'
    expect(await found(`completed_since=2026-02-01&${operator}`)).toEqual([[first.flow, third.flow], 2])
    expect(await found('completed_since=2026-02-01&state=started')).toEqual([[], 0])
    expect(failure(await tenant.request('GET', '/flows?completed_since=yesterday'))).toEqual([400, 'validation_error'])
  })

  it('lists flows newest first, by state and by order, with exact totals', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const flows = []
    for (let n = 0; n < 5; n++) flows.push(await startedFlow(tenant, [[tea, 1]]))
    const [a, b, c, d, e] = flows.map(({ flow }) => flow) as [number, number, number, number, number]
    await complete(tenant, b)
    await cancel(tenant, c)
    await cancel(tenant, d)
    const again = (await start(tenant, { order_id: flows[1]?.order.id })).body.data.id
    const list = async (query: string) => {
      const { flows, pagination } = (await tenant.request('GET', `/flows${query}`)).body.data
      return [flows.map(({ id }: { id: number }) => id), pagination]
    }
    const page = (total: number, more: object = {}) => ({ total, page: 1, limit: 50, total_pages: Math.min(total, 1), ...more })
    for (let round = 0; round < 2; round++) {
      expect(await list('')).toEqual([[again, e, d, c, b, a], page(6)])
      expect(await list('?state=started')).toEqual([[again, e, a], page(3)])
      expect(await list('?state=completed')).toEqual([[b], page(1)])
      expect(await list('?state=cancelled&limit=1&page=2')).toEqual([[c], page(2, { page: 2, limit: 1, total_pages: 2 })])
      expect(await list('?limit=4&page=2')).toEqual([[b, a], page(6, { page: 2, limit: 4, total_pages: 2 })])
      expect(await list('?page=3')).toEqual([[], page(6, { page: 3 })])
      expect(await list(`?order_id=${flows[1]?.order.id}`)).toEqual([[again, b], page(2)])
      expect(await list(`?order_id=${flows[1]?.order.id}&state=completed`)).toEqual([[b], page(1)])
      expect(await list('?order_id=999999')).toEqual([[], page(0)])
      await foldAllCounts(service.db)
    }
    expect((await tenant.request('GET', '/flows?limit=500')).body.data.pagination.limit).toBe(100)
    expect(failure(await tenant.request('GET', '/flows?state=running'))).toEqual([400, 'validation_error'])
    expect(failure(await tenant.request('GET', '/flows?order_id=x'))).toEqual([400, 'validation_error'])
  })
})
