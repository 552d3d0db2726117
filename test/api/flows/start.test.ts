import { describe, expect } from 'vitest'
import { it } from './it.ts'
import { failure, newOrder } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { TIMESTAMP, start, orderOf, newEvents } from './calls.ts'

describe('POST /flows', () => {
  it('starts picking an order', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, {})
    const rice = await stockedProduct(tenant, {})
    const order = await newOrder(tenant, {
      order_detail: [
        { barcode: tea.barcode, quantity: 2 },
        { barcode: rice.barcode, quantity: 3 },
      ],
    })
    await newEvents(service, tenant)
    const { body } = await start(tenant, { order_id: order.id })
    const { warehouse_id } = await orderOf(tenant, order)
    expect(body.data).toEqual({
      id: expect.any(Number),
      order_id: order.id,
      order_tenant_id: order.order_tenant_id,
      warehouse_id,
      state: 'started',
      operator_id: 7,
      operator_email: 'ada@example.com',
      items_to_pick: 2,
      total_quantity: 5,
      items_picked: 0,
      total_quantity_picked: 0,
      started_at: TIMESTAMP,
      completed_at: null,
      cancelled_at: null,
      cancellation_reason: null,
    })
    expect(await orderOf(tenant, order)).toMatchObject({ state_id: 3, state_name: 'In Progress', state_picking_id: 1 })
    const identity = { order_id: order.id, order_tenant_id: order.order_tenant_id }
    expect(await newEvents(service, tenant)).toEqual([
      {
        event: 'flow/started',
        data: {
          flow_id: body.data.id,
          ...identity,
          warehouse_id,
          operator_id: 7,
          operator_email: 'ada@example.com',
          items_to_pick: 2,
          total_quantity: 5,
          started_at: body.data.started_at,
        },
      },
      {
        event: 'order/updated',
        data: {
          ...identity,
          state_id: 3,
          state_name: 'In Progress',
          previous_state_id: 1,
          previous_state_name: 'Pending',
          warehouse_id,
          updated_fields: ['state_id', 'state_picking_id'],
          updated_at: TIMESTAMP,
        },
      },
    ])
  })

  it('accepts the client’s identifier, and needs no operator id', async ({ tenant }) => {
    const order = await newOrder(tenant)
    const { body } = await tenant.request('POST', '/flows', {
      order_tenant_id: order.order_tenant_id,
      order_id: null,
      operator_email: ' a ',
      operator_id: null,
    })
    expect(body.data).toMatchObject({ order_id: order.id, operator_email: 'a', operator_id: null })
  })

  it('accepts both identifiers if they name the same order', async ({ tenant }) => {
    const [order, other] = [await newOrder(tenant), await newOrder(tenant)]
    expect(failure(await start(tenant, { order_id: order.id, order_tenant_id: other.order_tenant_id }))).toEqual([
      400,
      'validation_error',
    ])
    expect(failure(await start(tenant, { order_id: order.id, order_tenant_id: 'no such order' }))).toEqual([
      400,
      'validation_error',
    ])
    expect(failure(await start(tenant, { order_id: 999_999, order_tenant_id: order.order_tenant_id }))).toEqual([
      400,
      'validation_error',
    ])
    expect((await tenant.request('GET', '/flows')).body.data.flows).toEqual([])
    expect((await start(tenant, { order_id: order.id, order_tenant_id: order.order_tenant_id })).status).toBe(200)
  })

  it('rejects an order that is being picked, completed or cancelled', async ({ tenant }) => {
    const order = await newOrder(tenant)
    await start(tenant, { order_id: order.id })
    const second = await start(tenant, { order_id: order.id })
    expect(failure(second)).toEqual([400, 'flow_error'])
    expect(second.body.error.message).toContain('running')
    const done = await newOrder(tenant)
    await tenant.request('PUT', `/orders/${done.id}`, { state_id: 5 })
    expect(failure(await start(tenant, { order_id: done.id }))).toEqual([400, 'flow_error'])
    const gone = await newOrder(tenant)
    await tenant.request('POST', `/orders/${gone.id}/cancel`)
    expect(failure(await start(tenant, { order_id: gone.id }))).toEqual([400, 'flow_error'])
  })

  it('starts from the states Pending, released, and a state 3 that was set by PUT', async ({ service, tenant }) => {
    for (const [state, fields] of [
      [1, ['state_id', 'state_picking_id']],
      [2, ['state_id', 'state_picking_id']],
      [3, ['state_picking_id']],
    ] as const) {
      const order = await newOrder(tenant)
      await tenant.request('PUT', `/orders/${order.id}`, { state_id: state })
      await newEvents(service, tenant)
      expect((await start(tenant, { order_id: order.id })).status).toBe(200)
      expect((await newEvents(service, tenant))[1]?.data).toMatchObject({
        previous_state_id: state,
        state_id: 3,
        updated_fields: fields,
      })
    }
  })

  it.for([
    ['neither identifier', {}],
    ['an order_id that is a text', { order_id: '1' }],
    ['an empty order_tenant_id', { order_tenant_id: '' }],
    ['no operator_email', { order_id: 1, operator_email: undefined }],
    ['a blank operator_email', { order_id: 1, operator_email: ' ' }],
    ['a long operator_email', { order_id: 1, operator_email: 'x'.repeat(256) }],
    ['an operator_id that is not an integer', { order_id: 1, operator_id: 1.5 }],
  ] as const)('refuses %s', async ([, body], { tenant }) => {
    expect(failure(await start(tenant, body))).toEqual([400, 'validation_error'])
  })

  it('reports all missing fields at once', async ({ tenant }) => {
    const missing = async (path: string) =>
      (await tenant.request('POST', path, {})).body.error.details.map(({ path: field }: { path: string }) => field)
    expect(await missing('/flows')).toEqual(['operator_email', 'order_id'])
    expect(await missing('/flows/1/picks')).toEqual(['location_id', 'quantity', 'barcode'])
    expect(await missing('/api-keys')).toEqual(['name', 'scopes'])
  })

  it('returns not_found for an unknown order', async ({ tenant }) => {
    expect(failure(await start(tenant, { order_id: 999_999 }))).toEqual([404, 'not_found'])
    expect(failure(await start(tenant, { order_tenant_id: 'no such order' }))).toEqual([404, 'not_found'])
    expect(failure(await start(tenant, { order_id: 999_999, order_tenant_id: 'no such order' }))).toEqual([404, 'not_found'])
  })
})
