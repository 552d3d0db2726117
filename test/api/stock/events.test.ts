import { describe, expect } from 'vitest'
import { statement } from '@fulfillment/server/database/statements/statement.ts'
import { recordEvents } from '@fulfillment/server/domain/events/index.ts'
import { applyStockChanges } from '@fulfillment/server/domain/stock/index.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { expectConsistentStock, newProduct, stockEvents } from '../../support/stock.ts'
import { it } from './it.ts'

/** The stock events recorded during `work`. */
async function eventsOf(service: TestService, tenant: TestTenant, work: () => Promise<unknown>) {
  const before = (await stockEvents(service.db, tenant)).length
  await work()
  return (await stockEvents(service.db, tenant)).slice(before)
}

async function defaultWarehouse(tenant: TestTenant): Promise<{ id: number; name: string }> {
  return (await tenant.request('GET', '/warehouses')).body.data.warehouses[0]
}

describe('stock events', () => {
  it('of a set level contain every field of their topics', async ({ service, tenant, product }) => {
    const key = await tenant.createKey({ name: 'Night shift' })
    const warehouse = await defaultWarehouse(tenant)
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 8 })
    const events = await eventsOf(service, tenant, () =>
      tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 5.5, reason: 'recount' }, { key }),
    )
    const movement = (await tenant.request('GET', '/stock/movements?limit=1')).body.data.movements[0]
    expect(events).toEqual([
      {
        event: 'stock/movement_created',
        data: {
          movement_id: movement.id,
          type: 'adjustment',
          product_id: product.id,
          sku: product.sku,
          product_name: product.name,
          quantity: -2.5,
          from_location: 'A',
          to_location: null,
          warehouse_id: warehouse.id,
          created_by: 'Night shift',
          notes: 'recount',
          created_at: movement.created_at,
        },
      },
      {
        event: 'stock/updated',
        data: {
          product_id: product.id,
          sku: product.sku,
          barcode: product.barcode,
          product_name: product.name,
          warehouse_id: warehouse.id,
          warehouse_name: warehouse.name,
          location_id: 'A',
          quantity: 5.5,
          previous_quantity: 8,
          change: -2.5,
          reason: 'inventory_count',
          reference_id: movement.id,
        },
      },
    ])
  })

  it.for([
    ['an addition', 3, { type: 'receipt', quantity: 3, from_location: null, to_location: 'A' }],
    ['a removal', -3, { type: 'dispatch', quantity: 3, from_location: 'A', to_location: null }],
  ] as const)('tell where %s goes', async ([, adjustment_quantity, expected], { service, tenant, product }) => {
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 5 })
    const events = await eventsOf(service, tenant, () =>
      tenant.request('POST', '/stock/adjustment', { product_id: product.id, location_id: 'A', adjustment_quantity }),
    )
    expect(events).toMatchObject([
      { event: 'stock/movement_created', data: { ...expected, notes: null } },
      { event: 'stock/updated', data: { change: adjustment_quantity, reason: 'manual_adjustment' } },
    ])
  })

  it('of a transfer name both locations in both movements', async ({ service, tenant, product }) => {
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'Z', quantity: 5 })
    const events = await eventsOf(service, tenant, () =>
      tenant.request('POST', '/stock/transfer', {
        product_id: product.id,
        from_location_id: 'Z',
        to_location_id: 'B',
        quantity: 2,
      }),
    )
    const locations = { type: 'transfer', from_location: 'Z', to_location: 'B' }
    expect(events).toMatchObject([
      { event: 'stock/movement_created', data: { ...locations, quantity: -2 } },
      { event: 'stock/updated', data: { location_id: 'Z', quantity: 3, change: -2, reason: 'transfer' } },
      { event: 'stock/movement_created', data: { ...locations, quantity: 2 } },
      { event: 'stock/updated', data: { location_id: 'B', quantity: 2, change: 2, reason: 'transfer' } },
    ])
  })

  it.for(['order_fulfillment', 'manual_adjustment', 'stock_receipt', 'transfer', 'return', 'inventory_count'])(
    'give the reason %s when the caller does',
    async (reason, { service, tenant, product }) => {
      const events = await eventsOf(service, tenant, async () => {
        await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 5, reason })
        await tenant.request('POST', '/stock/adjustment', {
          product_id: product.id,
          location_id: 'A',
          adjustment_quantity: -1,
          reason,
        })
        await tenant.request('POST', '/stock/transfer', {
          product_id: product.id,
          from_location_id: 'A',
          to_location_id: 'B',
          quantity: 1,
          reason,
        })
      })
      const reasons = events.filter(({ event }) => event === 'stock/updated').map(({ data }) => data.reason)
      expect(reasons).toEqual([reason, reason, reason, reason])
    },
  )

  it('have null as sku for a product without SKU', async ({ service, tenant }) => {
    const product = await newProduct(tenant, { sku: null })
    const events = await eventsOf(service, tenant, () =>
      tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 1 }),
    )
    expect(events.map(({ data }) => data.sku)).toEqual([null, null])
  })

  it('can be combined with events of another statement', async ({ service, tenant }) => {
    const product = await newProduct(tenant, { minimum_threshold: 2 })
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 5 })
    const pick = statement<
      [tenantId: number, productId: number, warehouseId: number],
      { available: number | null; quantity: number | null }
    >({
      name: 'test_pick',
      connection: 'write',
      sql: `with pick as materialized (
         select position, $2::bigint as product_id, 'A' as location_id, -2::numeric as amount, 'OUT' as movement_type, 'order_fulfillment' as reason,
           41::bigint as user_id, 42::bigint as order_id, null::text as other_location_id
         from (values (1), (2)) picked (position)
       ), ${applyStockChanges({
         source: 'pick',
         rows: 'together',
         amount: 'relative',
         eventReason: 'order_fulfillment',
         defaultWarehouse: '$3::bigint',
         createdBy: `'picker'`,
       })}, event as (
         select position, topic, data from stock_event
         union all
         select 0, 'flow/started', '{"first":true}' from stock_movement where position = 1
       ), ${recordEvents('event')}
       select s.available, m.new_quantity as quantity from (select) one left join short_level s on true left join stock_movement m on m.position = 2`,
    })
    const warehouse = await defaultWarehouse(tenant)
    const values: [number, number, number] = [tenant.id, product.id, warehouse.id]
    const picked = await eventsOf(service, tenant, async () => {
      expect(await service.db.runOne(pick, values)).toEqual({ available: null, quantity: 1 })
    })
    expect(picked.map(({ event }) => event)).toEqual([
      'stock/movement_created',
      'stock/movement_created',
      'stock/updated',
      'stock/low_alert',
    ])
    expect(picked[2]?.data).toMatchObject({ quantity: 1, previous_quantity: 5, change: -4, reason: 'order_fulfillment' })
    const { movements } = (await tenant.request('GET', '/stock/movements?order_id=42')).body.data
    expect(movements).toMatchObject([
      { quantity: 2, previous_quantity: 3, new_quantity: 1, user_id: 41, order_id: 42 },
      { quantity: 2, previous_quantity: 5, new_quantity: 3, user_id: 41, order_id: 42 },
    ])
    const refused = await eventsOf(service, tenant, async () => {
      expect(await service.db.runOne(pick, values)).toEqual({ available: 1, quantity: null })
    })
    expect(refused).toEqual([])
    const own = await service.db.kysely
      .selectFrom('events')
      .select('id')
      .where('tenant_id', '=', tenant.id)
      .where('topic', '=', 'flow/started')
      .execute()
    expect(own).toHaveLength(1)
    await expectConsistentStock(service.db, tenant)
  })
})

describe('stock/low_alert', () => {
  const adjust = (tenant: TestTenant, product: { id: number }, location_id: string, adjustment_quantity: number) =>
    tenant.request('POST', '/stock/adjustment', { product_id: product.id, location_id, adjustment_quantity })

  it('is sent when the total in the warehouse falls below the threshold, and again only after the total was back above it', async ({
    service,
    tenant,
  }) => {
    const product = await newProduct(tenant, { minimum_threshold: 10, reorder_quantity: 40 })
    const warehouse = await defaultWarehouse(tenant)
    const events = await eventsOf(service, tenant, async () => {
      await adjust(tenant, product, 'A', 6)
      await adjust(tenant, product, 'B', 6)
      await adjust(tenant, product, 'A', -2)
      await adjust(tenant, product, 'B', -0.5)
      await adjust(tenant, product, 'B', -1)
      await adjust(tenant, product, 'A', 5)
      await adjust(tenant, product, 'A', -5)
    })
    expect(events.map(({ event }) => event).filter((event) => event !== 'stock/movement_created')).toEqual([
      'stock/updated',
      'stock/updated',
      'stock/updated',
      'stock/updated',
      'stock/low_alert',
      'stock/updated',
      'stock/updated',
      'stock/updated',
      'stock/low_alert',
    ])
    const alerts = events.filter(({ event }) => event === 'stock/low_alert').map(({ data }) => data)
    expect(alerts[0]).toEqual({
      product_id: product.id,
      sku: product.sku,
      barcode: product.barcode,
      product_name: product.name,
      warehouse_id: warehouse.id,
      warehouse_name: warehouse.name,
      current_quantity: 9.5,
      minimum_threshold: 10,
      suggested_reorder: 40,
    })
    expect(alerts[1]).toMatchObject({ current_quantity: 8.5 })
  })

  it('suggests the quantity that brings stock to twice the threshold if the product has no reorder quantity', async ({
    service,
    tenant,
  }) => {
    const product = await newProduct(tenant, { minimum_threshold: 10 })
    await adjust(tenant, product, 'A', 12)
    const events = await eventsOf(service, tenant, () => adjust(tenant, product, 'A', -5))
    expect(events.at(-1)).toMatchObject({ event: 'stock/low_alert', data: { current_quantity: 7, suggested_reorder: 13 } })
  })

  it('is not sent without a threshold, or for stock that was never above it', async ({ service, tenant, product }) => {
    const low = await newProduct(tenant, { minimum_threshold: 10 })
    const events = await eventsOf(service, tenant, async () => {
      await adjust(tenant, product, 'A', 5)
      await adjust(tenant, product, 'A', -5)
      await adjust(tenant, low, 'A', 5)
      await adjust(tenant, low, 'A', -5)
    })
    expect(events.map(({ event }) => event)).not.toContain('stock/low_alert')
  })

  it('is not sent for a transfer within the warehouse, but for a transfer to another one', async ({ service, tenant }) => {
    const product = await newProduct(tenant, { minimum_threshold: 10 })
    await adjust(tenant, product, 'A', 10)
    await adjust(tenant, product, 'B', 1)
    const transfer = (to_location_id: string) =>
      tenant.request('POST', '/stock/transfer', { product_id: product.id, from_location_id: 'A', to_location_id, quantity: 5 })
    const within = await eventsOf(service, tenant, () => transfer('B'))
    expect(within.map(({ event }) => event)).not.toContain('stock/low_alert')
    const other = await newProduct(tenant)
    await adjust(tenant, other, 'N', 1)
    const north = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    await tenant.request('PUT', '/locations/N', { warehouse_id: north.id })
    const out = await eventsOf(service, tenant, () => transfer('N'))
    expect(out.at(-1)).toMatchObject({ event: 'stock/low_alert', data: { warehouse_name: 'Main', current_quantity: 6 } })
    expect(out.filter(({ event }) => event === 'stock/low_alert')).toHaveLength(1)
    expect(out[3]).toMatchObject({
      event: 'stock/updated',
      data: { location_id: 'N', warehouse_id: north.id, warehouse_name: 'North' },
    })
    await expectConsistentStock(service.db, tenant)
  })

  it('depends on the total after a bulk update, once per product', async ({ service, tenant }) => {
    const product = await newProduct(tenant, { minimum_threshold: 10 })
    const other = await newProduct(tenant, { minimum_threshold: 1 })
    const bulk = (...updates: [{ id: number }, string, number][]) =>
      tenant.request('POST', '/stock/bulk', {
        updates: updates.map(([{ id }, location_id, quantity]) => ({ product_id: id, location_id, quantity })),
      })
    await bulk([product, 'A', 10], [product, 'B', 10], [other, 'A', 5])
    const around = await eventsOf(service, tenant, () => bulk([product, 'A', 0], [product, 'B', 0], [product, 'A', 10]))
    expect(around.map(({ event }) => event)).not.toContain('stock/low_alert')
    const below = await eventsOf(service, tenant, () => bulk([product, 'A', 1], [product, 'B', 1], [other, 'A', 0]))
    const alerts = below
      .filter(({ event }) => event === 'stock/low_alert')
      .map(({ data }) => [data.product_id, data.current_quantity])
    expect(alerts.toSorted(([a], [b]) => a - b)).toEqual([
      [product.id, 2],
      [other.id, 0],
    ])
  })
})
