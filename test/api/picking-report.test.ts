import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import { it } from '../support/shared-service.ts'
import { expectConsistentPicking, pick, startedFlow, stockedProduct } from '../support/picking.ts'
import type { TestService, TestTenant } from '../support/service.ts'

const DAY_MS = 86_400_000
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

interface Row {
  at?: string
  operator_email?: string
  picks: number
  units: number
  flows: number
  seconds: number
}

async function rowsOf(tenant: TestTenant, query: string): Promise<Row[]> {
  const { status, body } = await tenant.request('GET', `/reports/picking?${query}`)
  expect([query, status]).toEqual([query, 200])
  return body.data.rows
}

/** `[operator, picks, units, flows]` */
async function operatorsOf(tenant: TestTenant): Promise<unknown[]> {
  const rows = await rowsOf(tenant, `since=${dayIn(-1)}&until=${dayIn(1)}&by=operator`)
  return rows.map(({ operator_email, picks, units, flows }) => [operator_email, picks, units, flows])
}

/** Hours of two operators of the last days, as if they had been picked then. */
async function fillHours({ db }: TestService, tenant: TestTenant): Promise<void> {
  await sql`
    insert into pick_changes (tenant_id, at, operator_email, picks, units, flows, seconds)
    select ${tenant.id}, date_trunc('hour', now(), 'UTC') - n * interval '1 hour', (array['ada@example.com', 'Ada@example.com', 'bob@example.com'])[1 + n % 3],
      2, 2.5, 1, 60.25
    from generate_series(1, 2000) n`.execute(db.kysely)
}

/** Starts the flows of a batch with an order of one piece for each name. */
async function startedBatch(tenant: TestTenant, names: string[]) {
  const tea = await stockedProduct(tenant, { A: 100 })
  const orders = names.map((order_tenant_id) => ({
    order_tenant_id,
    assembly_date: '2026-12-01',
    order_detail: [{ barcode: tea.barcode, quantity: 1 }],
  }))
  await tenant.request('POST', '/orders', { orders })
  const { body } = await tenant.request('POST', '/flow-batches', { order_tenant_ids: names, operator_email: 'ada@example.com' })
  const flows = body.data.slots.map(({ flow_id }: { flow_id: number }) => flow_id) as number[]
  const pickOne = (flow: number) => pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1 })
  return { id: body.data.id as number, flows, pickOne }
}

/** Puts the picking of the tenant back in time, as if so many seconds had passed since. */
async function laterBy({ db }: TestService, tenant: TestTenant, seconds: number): Promise<void> {
  const back = sql`interval '1 second' * ${seconds}`
  await sql`update picking_flows set started_at = started_at - ${back} where tenant_id = ${tenant.id}`.execute(db.kysely)
  await sql`update picks set created_at = created_at - ${back} where tenant_id = ${tenant.id}`.execute(db.kysely)
}

/** What the only operator has done, the time in whole minutes. */
async function workOf(tenant: TestTenant): Promise<object> {
  const [row] = await rowsOf(tenant, `since=${dayIn(-1)}&until=${dayIn(1)}&by=operator`)
  return { units: row?.units, flows: row?.flows, minutes: Math.floor((row?.seconds ?? 0) / 60) }
}

const sumOf = (rows: readonly Row[], key: 'picks' | 'units' | 'flows' | 'seconds'): number =>
  rows.reduce((sum, row) => sum + row[key], 0)

describe('GET /reports/picking', () => {
  it('counts what was picked, without what was undone or returned', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 }, { weighable: true })
    const { flow } = await startedFlow(tenant, [[tea, 10]])
    const { barcode } = tea
    await pick(tenant, flow, { barcode, location_id: 'A', quantity: 2.5, pick_id: 'first' })
    await pick(tenant, flow, { barcode, location_id: 'A', quantity: 3, pick_id: 'second' })
    await pick(tenant, flow, { barcode, location_id: 'A', quantity: 3, pick_id: 'second' })
    expect(await operatorsOf(tenant)).toEqual([['ada@example.com', 2, 5.5, 0]])
    // The operator who undoes it is not the one who picked it.
    await tenant.request('POST', `/flows/${flow}/assign`, { operator_email: 'bob@example.com' })
    await tenant.request('DELETE', `/flows/${flow}/picks/second`)
    await tenant.request('DELETE', `/flows/${flow}/picks/second`)
    expect(await operatorsOf(tenant)).toEqual([['ada@example.com', 1, 2.5, 0]])
    while ((await foldAllCounts(service.db)) > 0);
    await pick(tenant, flow, { barcode, location_id: 'A', quantity: 4 })
    await tenant.request('POST', `/flows/${flow}/complete`)
    expect(await operatorsOf(tenant)).toEqual([
      ['bob@example.com', 1, 4, 1],
      ['ada@example.com', 1, 2.5, 0],
    ])
    await expectConsistentPicking(service.db, tenant)
  })

  it.for(['its flow', 'its order'])('does not count a pick that was returned with %s', async (way, { service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow, order } = await startedFlow(tenant, [[tea, 10]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 2 })
    while ((await foldAllCounts(service.db)) > 0);
    expect(await operatorsOf(tenant)).toEqual([['ada@example.com', 1, 2, 0]])
    await tenant.request('POST', way === 'its flow' ? `/flows/${flow}/cancel` : `/orders/${order.id}/cancel`, {})
    expect(await operatorsOf(tenant)).toEqual([])
    while ((await foldAllCounts(service.db)) > 0);
    expect(await operatorsOf(tenant)).toEqual([])
    await expectConsistentPicking(service.db, tenant)
  })

  it('tells how long completed flows took', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [[tea, 1]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1 })
    await sql`update picking_flows set started_at = started_at - interval '90 seconds' where tenant_id = ${tenant.id}`.execute(
      service.db.kysely,
    )
    const { body } = await tenant.request('POST', `/flows/${flow}/complete`)
    const [row] = await rowsOf(tenant, `since=${dayIn(-1)}&by=operator`)
    const { started_at, completed_at } = body.data
    expect(row?.seconds).toBeCloseTo((Date.parse(completed_at) - Date.parse(started_at)) / 1_000, 1)
    expect(row?.seconds).toBeGreaterThan(90)
  })

  it('counts no pause of more than 15 minutes', async ({ service, tenant }) => {
    const tea = await stockedProduct(tenant, { A: 100 })
    const { flow } = await startedFlow(tenant, [[tea, 2]])
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1, pick_id: 'evening' })
    // Begun in the evening, and finished in the morning.
    await sql`update picking_flows set started_at = started_at - interval '14 hours 100 seconds' where tenant_id = ${tenant.id}`.execute(
      service.db.kysely,
    )
    await sql`update picks set created_at = created_at - interval '14 hours' where tenant_id = ${tenant.id}`.execute(
      service.db.kysely,
    )
    await pick(tenant, flow, { barcode: tea.barcode, location_id: 'A', quantity: 1 })
    await tenant.request('POST', `/flows/${flow}/complete`)
    const [row] = await rowsOf(tenant, `since=${dayIn(-1)}&by=operator`)
    expect(row?.seconds).toBeGreaterThan(100)
    expect(row?.seconds).toBeLessThan(160)
  })

  it('counts the time of a batch once', async ({ service, tenant }) => {
    const { id, flows, pickOne } = await startedBatch(tenant, ['one', 'two', 'three'])
    for (const flow of flows) await pickOne(flow)
    await laterBy(service, tenant, 600)
    await tenant.request('POST', `/flow-batches/${id}/complete`)
    expect(await workOf(tenant)).toEqual({ units: 3, flows: 3, minutes: 10 })
  })

  it.for(['together', 'one by one', 'at the same time', 'each when it is picked'])(
    'counts the whole walk of a batch whose picks are far apart, and whose flows are completed %s',
    async (way, { service, tenant }) => {
      const { id, flows, pickOne } = await startedBatch(tenant, ['one', 'two', 'three'])
      const complete = (flow: number) => tenant.request('POST', `/flows/${flow}/complete`)
      for (const flow of flows) {
        // More than a pause lies between the start of most flows, their only pick and their end.
        await laterBy(service, tenant, 600)
        await pickOne(flow)
        if (way === 'each when it is picked') await complete(flow)
      }
      if (way !== 'each when it is picked') await laterBy(service, tenant, 600)
      if (way === 'together') await tenant.request('POST', `/flow-batches/${id}/complete`)
      if (way === 'one by one') for (const flow of flows) await complete(flow)
      if (way === 'at the same time') await Promise.all(flows.map(complete))
      expect(await workOf(tenant)).toEqual({ units: 3, flows: 3, minutes: way === 'each when it is picked' ? 30 : 40 })
    },
  )

  it.for([
    ['before it was picked', 20],
    ['after it was picked', 30],
  ] as const)(
    'counts the whole walk of a batch when one of its two flows was cancelled %s',
    async ([when, minutes], { service, tenant }) => {
      const { id, flows, pickOne } = await startedBatch(tenant, ['one', 'two'])
      if (when === 'after it was picked') {
        await laterBy(service, tenant, 600)
        await pickOne(flows[1]!)
      }
      await tenant.request('POST', `/flows/${flows[1]}/cancel`, {})
      await laterBy(service, tenant, 600)
      await pickOne(flows[0]!)
      await laterBy(service, tenant, 600)
      await tenant.request('POST', `/flow-batches/${id}/complete`)
      expect(await workOf(tenant)).toEqual({ units: 1, flows: 1, minutes })
    },
  )

  it('is by hour, day or operator, before and after the changes are folded', async ({ service, tenant }) => {
    await fillHours(service, tenant)
    const ranges = { hour: `since=${dayIn(-20)}&until=${dayIn(-1)}`, day: `since=${dayIn(-60)}`, operator: `since=${dayIn(-60)}` }
    const read = (by: keyof typeof ranges) => rowsOf(tenant, `${ranges[by]}&by=${by}`)
    const before = { hour: await read('hour'), day: await read('day'), operator: await read('operator') }
    while ((await foldAllCounts(service.db)) > 0);
    expect({ hour: await read('hour'), day: await read('day'), operator: await read('operator') }).toEqual(before)
    expect(before.hour).toHaveLength(20 * 24)
    expect(before.hour[0]).toEqual({ at: `${dayIn(-20)}T00:00:00.000Z`, picks: 2, units: 2.5, flows: 1, seconds: 60.25 })
    expect(before.hour.at(-1)?.at).toBe(`${dayIn(-1)}T23:00:00.000Z`)
    expect(before.day[0]).toEqual({ at: `${dayIn(-60)}T00:00:00.000Z`, picks: 48, units: 60, flows: 24, seconds: 1_446 })
    expect(before.operator.map(({ operator_email }) => operator_email)).toEqual([
      expect.stringMatching(/^ada@example.com$/i),
      'bob@example.com',
    ])
    for (const key of ['picks', 'units', 'flows', 'seconds'] as const)
      expect(sumOf(before.day, key)).toBeCloseTo(sumOf(before.operator, key), 3)
    expect(await rowsOf(await service.newTenant(), ranges.day)).toEqual([])
    const [hour] = await rowsOf(tenant, `since=${dayIn(-5)}T07:59:59Z&until=${dayIn(-5)}T07:00:00Z&by=hour`)
    expect(hour?.at).toBe(`${dayIn(-5)}T07:00:00.000Z`)
  })

  it('covers 366 days at most, and 31 by hour', async ({ tenant }) => {
    const refused = async (query: string) => (await tenant.request('GET', `/reports/picking?${query}`)).body.error.details
    expect(await rowsOf(tenant, 'since=2025-01-01&until=2026-01-01')).toEqual([])
    for (const by of ['day', 'operator'])
      expect(await refused(`since=2025-01-01&until=2026-01-02&by=${by}`)).toEqual([
        { path: 'since', error: 'must be at most 366 days before until' },
      ])
    expect(await refused('since=2026-01-01&until=2026-02-01&by=hour')).toEqual([
      { path: 'since', error: 'must be at most 31 days before until' },
    ])
  })
})
