import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect } from 'vitest'
import { it } from '../../support/it.ts'
import { eventsOf } from '../../support/events.ts'
import { failure, newOrder, orderFor } from '../../support/orders.ts'
import { pick, startedFlow, stockedProduct } from '../../support/picking.ts'
import { availabilityOf, expectConsistentReservations, reserve } from '../../support/reservations.ts'
import { newTenant, send } from '../../support/service.ts'

describe('GET and PUT /settings', () => {
  it('has the defaults until something is changed', async ({ tenant }) => {
    const { body } = await tenant.request('GET', '/settings')
    expect(body.data).toEqual({ reservation_policy: 'off', reservation_state: 'ready', weight_barcodes: [], updated_at: null })
    const unchanged = await tenant.request('PUT', '/settings', { reservation_policy: 'off', weight_barcodes: null })
    expect(unchanged.body.data.updated_at).toBeNull()
  })

  it('changes what is given, resets to the default with null, and keeps the time when nothing changed', async ({ tenant }) => {
    const weight_barcodes = [{ pattern: '21IIIIIWWWWWC', decimals: 3 }]
    const first = await tenant.request('PUT', '/settings', { weight_barcodes })
    expect(first.body.data).toMatchObject({ reservation_policy: 'off', weight_barcodes })
    const second = await tenant.request('PUT', '/settings', { reservation_policy: 'track' })
    expect(second.body.data).toMatchObject({ reservation_policy: 'track', weight_barcodes })
    expect(second.body.data.updated_at > first.body.data.updated_at).toBe(true)
    const same = await tenant.request('PUT', '/settings', { reservation_policy: 'track', weight_barcodes })
    expect(same.body.data.updated_at).toBe(second.body.data.updated_at)
    const reset = await tenant.request('PUT', '/settings', { reservation_policy: null, weight_barcodes: null })
    expect(reset.body.data).toMatchObject({ reservation_policy: 'off', weight_barcodes: [] })
  })

  it.for([
    [{ reservation_policy: 'maybe' }],
    [{ weight_barcodes: [{ pattern: '21IIIIIWWWWW', decimals: 3 }] }],
    [{ weight_barcodes: [{ pattern: '2112345WWWWWC', decimals: 3 }] }],
    [{ weight_barcodes: [{ pattern: '21IIIIIWWWWWC', decimals: 5 }] }],
    [{ weight_barcodes: Array.from({ length: 11 }, () => ({ pattern: '21IIIIIWWWWWC', decimals: 3 })) }],
  ])('rejects %j and changes nothing', async ([invalid], { tenant }) => {
    const response = await tenant.request('PUT', '/settings', { reservation_policy: 'track', ...invalid })
    expect(failure(response)).toEqual([400, 'validation_error'])
    expect((await tenant.request('GET', '/settings')).body.data).toMatchObject({ reservation_policy: 'off', updated_at: null })
  })

  it('is read by every server from the response on', async ({ service, startService, tenant }) => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const product = await stockedProduct(tenant, { A: 1 })
    await reserve(tenant, 'strict')
    for (const [policy, status] of [
      ['track', 200],
      ['strict', 400],
      ['track', 200],
      ['strict', 400],
    ] as const) {
      await tenant.request('PUT', '/settings', { reservation_policy: policy })
      const elsewhere = { ...tenant, ...(await newTenant(other.url, service.db)) }
      const order = await orderFor(tenant, { order_detail: [{ barcode: product.barcode, quantity: 2 }] })
      expect((await elsewhere.request('POST', '/orders', order, { key: tenant.key })).status).toBe(status)
    }
  })
})

it('reserving is ready only after the calls have ended that began before it was turned on', async ({ service, tenant }) => {
  const call = new pg.Client({ connectionString: service.databaseUrl })
  await call.connect()
  try {
    await call.query('begin')
    await call.query('lock table warehouse_stock in row exclusive mode')
    await tenant.request('PUT', '/settings', { reservation_policy: 'track' })
    const stateOf = async () => (await tenant.request('GET', '/settings')).body.data.reservation_state
    // Without orders, the rest takes less than a second.
    await sleep(3_000)
    expect(await stateOf()).toBe('switching')
    await call.query('commit')
    await expect.poll(stateOf).toBe('ready')
  } finally {
    await call.end()
  }
})

it('a policy is shown by every server from the response on, and not longer, also by those that have just seen another one', async ({
  service,
  startService,
  tenant,
}) => {
  const other = await startService({ databaseUrl: service.databaseUrl })
  const product = await stockedProduct(tenant, { A: 1 })
  const { id, order_tenant_id: name } = await newOrder(tenant, { order_detail: [{ barcode: product.barcode, quantity: 1 }] })
  const read = async (path: string) => (await send(`${other.url}/api/v1${path}`, 'GET', undefined, { key: tenant.key })).body.data
  const shown = async (): Promise<boolean[]> => [
    (await read(`/orders/${id}`)).reservation_status !== undefined,
    (await read('/orders')).orders[0].reservation_status !== undefined,
    (await read(`/orders?include_details=true&order_tenant_id=${encodeURIComponent(name)}`)).orders[0]?.order_detail[0]
      .reserved_quantity !== undefined,
  ]
  for (const policy of ['track', 'off', 'strict', 'off'] as const) {
    const over = new AbortController()
    const looking = (async () => {
      while (!over.signal.aborted) await shown()
    })()
    await tenant.request('PUT', '/settings', { reservation_policy: policy })
    over.abort()
    const isReserving = policy !== 'off'
    expect([policy, ...(await shown())]).toEqual([policy, isReserving, isReserving, isReserving])
    await looking
    await reserve(tenant, policy)
    for (const path of [`/products/${product.id}`, `/products/sku/${product.sku}`, `/stock/sku/${product.sku}`])
      expect([path, (await read(path)).availability !== undefined]).toEqual([path, isReserving])
  }
})

describe('switching', () => {
  it('reserves for open orders by rank, without an event, and ends all reservations when it is turned off', async ({
    service,
    tenant,
  }) => {
    const product = await stockedProduct(tenant, { A: 5 })
    const lines = [{ barcode: product.barcode, quantity: 3 }]
    const late = await newOrder(tenant, { assembly_date: '2026-12-02', order_detail: lines })
    const early = await newOrder(tenant, { assembly_date: '2026-12-01', order_detail: lines })
    const over = await newOrder(tenant, { assembly_date: '2026-11-01', order_detail: lines })
    await tenant.request('POST', `/orders/${over.id}/cancel`)
    expect(await availabilityOf(tenant, product.id)).toMatchObject({ on_hand: 5, reserved: 0, available: 5, backordered: 0 })

    await reserve(tenant, 'track')
    expect(await availabilityOf(tenant, product.id)).toMatchObject({ on_hand: 5, reserved: 5, available: 0, backordered: 1 })
    const { body } = await tenant.request('GET', '/stock/reservations')
    expect(body.data.reservations).toMatchObject([
      { order_id: early.id, reserved_quantity: 3, backordered_quantity: 0, assembly_date: '2026-12-01' },
      { order_id: late.id, reserved_quantity: 2, backordered_quantity: 1, assembly_date: '2026-12-02' },
    ])
    await expectConsistentReservations(service.db, tenant)

    const hold = await tenant.request('POST', '/holds', { reference: 'cart', lines: [{ sku: product.sku, quantity: 1 }] })
    expect(failure(hold)).toEqual([400, 'insufficient_stock'])
    await reserve(tenant, 'off')
    expect((await tenant.request('GET', '/stock/reservations')).body.data.reservations).toEqual([])
    expect(await availabilityOf(tenant, product.id)).toMatchObject({ on_hand: 5, reserved: 0, available: 5, backordered: 0 })
    expect((await eventsOf(service, tenant)).filter(({ event }) => event === 'reservation/updated')).toEqual([])
  })

  it('has a status for an open order of which all is picked, too', async ({ service, tenant }) => {
    const product = await stockedProduct(tenant, { A: 5 })
    const { order, flow } = await startedFlow(tenant, [[product, 2]])
    await pick(tenant, flow, { product_id: product.id, location_id: 'A', quantity: 2 })
    await reserve(tenant, 'track')
    expect((await tenant.request('GET', `/orders/${order.id}`)).body.data).toMatchObject({ reservation_status: 'reserved' })
    expect((await tenant.request('GET', '/orders?reservation_status=reserved')).body.data.pagination.total).toBe(1)
    await expectConsistentReservations(service.db, tenant)
    await tenant.request('POST', `/flows/${flow}/complete`)
    expect((await tenant.request('GET', `/orders/${order.id}`)).body.data).toMatchObject({ reservation_status: null })
    await expectConsistentReservations(service.db, tenant)
  })

  it('releases holds, which keep nothing when reserving is turned on again', async ({ tenant }) => {
    const product = await stockedProduct(tenant, { A: 5 })
    await reserve(tenant, 'track')
    const { body } = await tenant.request('POST', '/holds', { reference: 'cart', lines: [{ sku: product.sku, quantity: 2 }] })
    await tenant.request('PUT', '/settings', { reservation_policy: 'off' })
    await reserve(tenant, 'strict')
    expect((await tenant.request('GET', `/holds/${body.data.id}`)).body.data).toMatchObject({ state: 'released' })
    expect(await availabilityOf(tenant, product.id)).toMatchObject({ reserved: 0, held: 0, available: 5 })
  })
})
