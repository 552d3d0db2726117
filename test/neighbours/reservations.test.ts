import { expect } from 'vitest'
import { it } from '../support/it.ts'
import { orderFor } from '../support/orders.ts'
import { atMost } from '../support/patience.ts'
import { stockedProduct } from '../support/picking.ts'
import { availabilityOf, reserve } from '../support/reservations.ts'

it('the expired holds of one tenant do not delay those of another', async ({ service, tenant }) => {
  const { dedicatedPool } = service.db
  const tea = await stockedProduct(tenant, { A: 1 })
  await reserve(tenant, 'track')
  const hold = { reference: 'cart', lines: [{ product_id: tea.id, quantity: 1 }] }
  expect((await tenant.request('POST', '/holds', hold)).status).toBe(200)
  await tenant.request('POST', '/orders', await orderFor(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 1 }] }))
  expect(await availabilityOf(tenant, tea.id)).toMatchObject({ held: 1, backordered: 1 })

  const other = await service.newTenant()
  await reserve(other, 'track')
  await dedicatedPool.query(`
    with warehouse as (
      select tenant_id, id from warehouses where tenant_id = ${other.id} and is_default
    ), product as (
      insert into products (tenant_id, barcode, name) select ${other.id}, 'P' || n, 'Product' from generate_series(1, 20000) n returning id
    ), total as (
      insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity, reserved, held)
      select w.tenant_id, p.id, w.id, 1, 1, 1 from product p cross join warehouse w
    ), hold as (
      insert into holds (tenant_id, reference, content_hash, warehouse_id, expires_at, created_by)
      select tenant_id, 'cart', '', id, now() - interval '1 hour', 'test' from warehouse returning *
    )
    insert into hold_lines (tenant_id, hold_id, line_number, product_id, warehouse_id, quantity, reserved, expires_at)
    select h.tenant_id, h.id, row_number() over (), p.id, h.warehouse_id, 1, 1, h.expires_at from hold h cross join product p`)
  await dedicatedPool.query(`update holds set expires_at = now() where tenant_id = ${tenant.id};
    update hold_lines set expires_at = now() where tenant_id = ${tenant.id}`)
  const held = async (tenantId: number): Promise<number> =>
    (
      await dedicatedPool.query<{ held: number }>(
        `select count(*)::int as held from hold_lines where tenant_id = ${tenantId} and reserved > 0`,
      )
    ).rows[0]!.held
  await expect.poll(() => held(tenant.id), { interval: 50 }).toBe(0)
  expect(await held(other.id)).toBeGreaterThan(0)
  expect(await availabilityOf(tenant, tea.id)).toMatchObject({ reserved: 1, backordered: 0 })
})

it('a tenant with many open orders does not delay another one that turns reserving on', async ({ service, tenant }) => {
  const tea = await stockedProduct(tenant, { A: 1 })
  await service.db.dedicatedPool.query(`
    with line as (
      select nextval(pg_get_serial_sequence('orders', 'id')) as order_id from generate_series(1, 20000)
    ), new_order as (
      insert into orders (tenant_id, id, order_tenant_id, state_id, assembly_date, warehouse_id, items_count, total_quantity) overriding system value
      select ${tenant.id}, l.order_id, 'many-' || l.order_id, 1, '2026-12-01', w.id, 1, 1
      from line l cross join warehouses w where w.tenant_id = ${tenant.id} and w.is_default returning id
    )
    insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity)
    select ${tenant.id}, id, ${tea.id}, '${tea.barcode}', 'Tea', 1 from new_order`)
  await tenant.request('PUT', '/settings', { reservation_policy: 'track' })
  await reserve(await service.newTenant(), 'track')
  const state = async (): Promise<string> => (await tenant.request('GET', '/settings')).body.data.reservation_state
  expect(await state()).toBe('switching')
  await expect.poll(state).toBe('ready')
  expect(await availabilityOf(tenant, tea.id)).toMatchObject({ reserved: 1, backordered: 19_999 })
})

it.for(['warehouse_stock', 'hold_lines'])(
  'an expired hold of which somebody locks %s delays those of other tenants by a second at most',
  async (locked, { service, tenant }) => {
    const { dedicatedPool } = service.db
    const tenants = [tenant, await service.newTenant(), await service.newTenant()]
    for (const of of tenants) {
      const tea = await stockedProduct(of, { A: 1 })
      await reserve(of, 'track')
      const { body } = await of.request('POST', '/holds', { reference: 'cart', lines: [{ product_id: tea.id, quantity: 1 }] })
      expect(body).toMatchObject({ success: true })
    }
    // Another product of the same tenant does not wait for the locked one either.
    const salt = await stockedProduct(tenant, { A: 1 })
    await tenant.request('POST', '/holds', { reference: 'another', lines: [{ product_id: salt.id, quantity: 1 }] })
    const ids = tenants.map(({ id }) => id).join(', ')
    const lock = await dedicatedPool.connect()
    try {
      await lock.query('begin; set local idle_in_transaction_session_timeout = 0')
      // Long enough to lock them before.
      await dedicatedPool.query(`update hold_lines set expires_at = now() + interval '1 second' where tenant_id in (${ids})`)
      await lock.query(`select from ${locked} where tenant_id = ${tenant.id} and product_id <> ${salt.id} for update`)
      const held = async (): Promise<number[]> =>
        (
          await dedicatedPool.query<{ tenant_id: number }>(
            `select tenant_id from hold_lines where tenant_id in (${ids}) and reserved > 0`,
          )
        ).rows.map((row) => row.tenant_id)
      await expect.poll(held, { interval: 200, timeout: atMost(3_500) }).toEqual([tenant.id])
    } finally {
      lock.release(true)
    }
  },
)
