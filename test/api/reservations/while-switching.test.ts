import pg from 'pg'
import { describe, expect } from 'vitest'
import { it as base } from '../../support/it.ts'
import { failure, newOrder } from '../../support/orders.ts'
import { OPERATOR, stockedProduct } from '../../support/picking.ts'
import { availabilityOf, expectConsistentReservations, reserve } from '../../support/reservations.ts'

/** `hold` keeps reserving from being switched until the end of the test, or until `hold.query('commit')`. */
const it = base.extend('holdSwitch', async ({ service }, { onCleanup }) => {
  const call = new pg.Client({ connectionString: service.databaseUrl })
  await call.connect()
  onCleanup(() => call.end())
  return async () => {
    await call.query('begin')
    await call.query('lock table warehouse_stock in row exclusive mode')
    return { end: () => call.query('commit') }
  }
})

describe('while reserving is being switched on', () => {
  it('blockers and batches go by stock, for reservations are not made yet', async ({ tenant, holdSwitch }) => {
    const [tea, milk] = [await stockedProduct(tenant, { A: 2 }), await stockedProduct(tenant, {})]
    const linesOf = (barcode: string) => ({ order_detail: [{ barcode, quantity: 2 }] })
    const [there, lacking] = [await newOrder(tenant, linesOf(tea.barcode)), await newOrder(tenant, linesOf(milk.barcode))]
    await holdSwitch()
    await tenant.request('PUT', '/settings', { reservation_policy: 'track' })
    // Made meanwhile: backordered until reservations are made.
    const late = await newOrder(tenant, { ...linesOf(tea.barcode), assembly_date: '2026-12-24' })
    const blockersOf = async ({ id }: { id: number }) => (await tenant.request('GET', `/orders/${id}/blockers`)).body.data
    expect((await tenant.request('GET', '/settings')).body.data.reservation_state).toBe('switching')
    expect(await blockersOf(there)).toMatchObject({ ready: true, blockers: [] })
    expect(await blockersOf(late)).toMatchObject({ ready: true, blockers: [] })
    expect((await blockersOf(lacking)).blockers).toMatchObject([{ code: 'not_in_stock', product_id: milk.id, quantity: 2 }])
    await tenant.request('POST', `/orders/${there.id}/cancel`)
    const batch = await tenant.request('POST', '/flow-batches', { rule: {}, operator_email: OPERATOR.operator_email })
    expect(batch.body.data?.slots).toMatchObject([{ order_id: late.id }])
  })
})

describe('while reserving is being switched off', () => {
  it('a hold is released at once, and its reference is free of it', async ({ tenant, holdSwitch }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    await reserve(tenant, 'track')
    const cart = { reference: 'cart', lines: [{ sku: tea.sku, quantity: 2 }] }
    const hold = (await tenant.request('POST', '/holds', cart)).body.data
    const blocked = await holdSwitch()
    await tenant.request('PUT', '/settings', { reservation_policy: 'off' })
    expect(failure(await tenant.request('POST', '/holds', cart))).toEqual([400, 'hold_error'])
    // Turned on again before reservations of before are removed.
    await tenant.request('PUT', '/settings', { reservation_policy: 'track' })
    expect((await tenant.request('GET', `/holds/${hold.id}`)).body.data).toMatchObject({
      state: 'released',
      lines: [{ reserved_quantity: 0 }],
    })
    expect((await tenant.request('GET', '/holds?state=active')).body.data.pagination.total).toBe(0)
    expect(failure(await tenant.request('POST', '/holds', cart))).toEqual([400, 'hold_error'])
    await blocked.end()
    await reserve(tenant, 'track')
    const again = (await tenant.request('POST', '/holds', cart)).body.data
    expect([again.id > hold.id, again.state]).toEqual([true, 'active'])
  })

  it('a hold that is being changed keeps nothing', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    await reserve(tenant, 'track')
    const hold = (await tenant.request('POST', '/holds', { reference: 'cart', lines: [{ sku: tea.sku, quantity: 2 }] })).body.data
    // Keeps the change, which has seen the policy, from going on.
    const call = new pg.Client({ connectionString: service.databaseUrl })
    await call.connect()
    try {
      await call.query('begin')
      await call.query('lock table event_outbox in exclusive mode')
      const change = tenant.request('PUT', `/holds/${hold.id}`, { lines: [{ sku: tea.sku, quantity: 3 }] })
      const blocked = 'from pg_locks w where not granted and pg_backend_pid() = any (pg_blocking_pids(w.pid))'
      await expect.poll(async () => (await call.query(`select ${blocked}`)).rowCount).toBeGreaterThan(0)
      for (const policy of ['off', 'track']) await tenant.request('PUT', '/settings', { reservation_policy: policy })
      // The job waits for the row of the hold.
      await expect
        .poll(async () => {
          const ofChange = `exists (select ${blocked} and w.pid = any (pg_blocking_pids(job.pid)))`
          return (await call.query(`select from pg_locks job where not granted and ${ofChange}`)).rowCount
        })
        .toBeGreaterThan(0)
      await call.query('commit')
      expect(failure(await change)).toEqual([400, 'hold_error'])
    } finally {
      await call.end()
    }
    await reserve(tenant, 'track')
    await expectConsistentReservations(service.db, tenant)
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ on_hand: 5, reserved: 0, held: 0, available: 5 })
  })
})
