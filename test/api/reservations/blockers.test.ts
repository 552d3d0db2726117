import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { failure, newOrder } from '../../support/orders.ts'
import { OPERATOR, stockedProduct, type PickableProduct } from '../../support/picking.ts'
import { reserve } from '../../support/reservations.ts'
import type { TestTenant } from '../../support/service.ts'

const linesOf = (...lines: [product: PickableProduct, quantity: number][]) =>
  lines.map(([{ barcode }, quantity]) => ({ barcode, quantity }))
const blockersOf = async (tenant: TestTenant, { id }: { id: number }) => {
  const { body } = await tenant.request('GET', `/orders/${id}/blockers`)
  expect(body.data).toMatchObject({ order_id: id, ready: body.data.blockers.length === 0 })
  return body.data.blockers
}

describe('GET /orders/{id}/blockers', () => {
  it('is ready when all can be picked, and says when an order is over or being picked', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    const order = await newOrder(tenant, { order_detail: linesOf([tea, 5]) })
    expect(await blockersOf(tenant, order)).toEqual([])
    const flow = (await tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })).body.data.id
    expect(await blockersOf(tenant, order)).toMatchObject([
      { code: 'flow_running', flow_id: flow, operator_email: OPERATOR.operator_email },
    ])
    await tenant.request('POST', `/orders/${order.id}/cancel`)
    expect(await blockersOf(tenant, order)).toMatchObject([{ code: 'order_over', state_id: 7 }])
    expect(failure(await tenant.request('GET', '/orders/999999/blockers'))).toEqual([404, 'not_found'])
  })

  it('under off says what is not in stock, after what earlier lines take', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 3 })
    const rice = await stockedProduct(tenant, { A: 2 })
    const order = await newOrder(tenant, { order_detail: linesOf([tea, 2], [rice, 2], [tea, 2]) })
    const { body } = await tenant.request('GET', `/orders/${order.id}`)
    expect(await blockersOf(tenant, order)).toMatchObject([
      {
        code: 'not_in_stock',
        message: `${tea.name}: 1 not in stock`,
        order_detail_id: body.data.order_detail[2].id,
        product_id: tea.id,
        quantity: 1,
      },
    ])
  })

  it('says what is only at locations that are not pickable, which are used last', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 2, B: 1, C: 4 })
    for (const location of ['B', 'C']) await tenant.request('PUT', `/locations/${location}`, { pickable: false })
    await tenant.request('PUT', '/locations/C', { pick_sequence: 1 })
    const order = await newOrder(tenant, { order_detail: linesOf([tea, 1], [tea, 6]) })
    expect(await blockersOf(tenant, order)).toMatchObject([
      {
        code: 'not_pickable',
        message: `${tea.name}: 5 only at locations that are not pickable`,
        quantity: 5,
        locations: [
          { location_id: 'C', quantity: 4 },
          { location_id: 'B', quantity: 1 },
        ],
      },
    ])
  })

  it('under a policy says what is backordered, who has it, and where else it is available', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { A: 3, N: 4 })
    const north = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data.id
    await tenant.request('PUT', '/locations/N', { warehouse_id: north })
    await reserve(tenant, 'track')
    const holder = await newOrder(tenant, { order_detail: linesOf([tea, 2]) })
    const hold = await tenant.request('POST', '/holds', { reference: 'cart', lines: [{ sku: tea.sku, quantity: 1 }] })
    const order = await newOrder(tenant, { order_detail: linesOf([tea, 2]) })
    expect(await blockersOf(tenant, order)).toMatchObject([
      {
        code: 'backordered',
        message: `${tea.name}: 2 waiting for stock`,
        product_id: tea.id,
        quantity: 2,
        holders: [
          { order_id: holder.id, reserved_quantity: 2, hold_id: null },
          { order_id: null, hold_id: hold.body.data.id, reserved_quantity: 1, expires_at: hold.body.data.expires_at },
        ],
        incoming: [],
        elsewhere: [{ warehouse_id: north, available: 4 }],
      },
    ])
  })
})
