import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import { untilHourLasts } from '../support/hour.ts'
import { it } from '../support/shared-service.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAYS = 40

interface Point {
  at: string
  quantity: number
}

const startOf = (ms: number, of: number): string => new Date(Math.floor(ms / of) * of).toISOString()
const dayIn = (days: number): string => startOf(Date.now() + days * DAY_MS, DAY_MS).slice(0, 10)

async function pointsOf(tenant: TestTenant, query: string): Promise<Point[]> {
  const { status, body } = await tenant.request('GET', `/reports/stock?${query}`)
  expect([query, status]).toEqual([query, 200])
  return body.data.points
}

/** Movements of a product at three locations at random times of the last 40 days, as if they had been made then. */
async function fillHistory({ db }: TestService, tenant: TestTenant, product: { id: number }): Promise<void> {
  for (const location_id of ['A', 'B', 'C'])
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id, quantity: 1_000 })
  await sql`
    with moved as (
      insert into stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, created_at)
      select ${tenant.id}, ${product.id}, (array['A', 'B', 'C'])[1 + n % 3], 'ADJUSTMENT', 1, 500, 500 + round((random() * 20 - 10)::numeric, 3),
        now() - random() * interval '1 day' * ${DAYS}
      from generate_series(1, 600) n returning *
    ), counted as (
      insert into movement_count_changes (tenant_id, created_day, created_hour, product_id, location_id, movement_type, change, quantity)
      select tenant_id, (created_at at time zone 'UTC')::date, date_trunc('hour', created_at, 'UTC'), product_id, location_id, movement_type, 1,
        new_quantity - previous_quantity
      from moved
    )
    update stock_levels v set quantity = v.quantity + m.change
    from (select location_id, sum(new_quantity - previous_quantity) as change from moved group by 1) m
    where v.tenant_id = ${tenant.id} and v.product_id = ${product.id} and v.location_id = m.location_id`.execute(db.kysely)
}

/** The points, by adding up all movements from the first one on. */
async function expectedPoints(
  { db }: TestService,
  tenant: TestTenant,
  { first, stepMs, location = null }: { first: number; stepMs: number; location?: string | null },
): Promise<Point[]> {
  const steps = []
  for (let at = Math.floor(first / stepMs) * stepMs; at <= Date.now(); at += stepMs) steps.push(new Date(at).toISOString())
  const { rows } = await sql<Point>`
    select s.at, (
      select coalesce(sum(new_quantity - previous_quantity), 0)::float8 from stock_movements
      where tenant_id = ${tenant.id} and created_at < s.at + ${stepMs} * interval '1 ms' and (${location}::text is null or location_id = ${location})
    ) as quantity
    from unnest(${steps}::timestamptz[]) s (at) order by s.at`.execute(db.kysely)
  return rows
}

describe('GET /reports/stock', () => {
  it('is the sum of the movements, before and after they are folded', async ({ service, tenant }) => {
    await untilHourLasts()
    const product = await newProduct(tenant, { minimum_threshold: 10 })
    await fillHistory(service, tenant, product)
    for (const folded of [false, true]) {
      if (folded) while ((await foldAllCounts(service.db)) > 0);
      for (const location of [null, 'B']) {
        const query = `product_id=${product.id}${location === null ? '' : `&location_id=${location}`}`
        const days = { first: Date.now() - 45 * DAY_MS, stepMs: DAY_MS, location }
        expect(await pointsOf(tenant, `${query}&since=${dayIn(-45)}`)).toEqual(await expectedPoints(service, tenant, days))
        const hours = { first: Date.now() - 29 * DAY_MS, stepMs: HOUR_MS, location }
        const since = new Date(hours.first).toISOString()
        expect(await pointsOf(tenant, `${query}&since=${since}&step=hour`)).toEqual(await expectedPoints(service, tenant, hours))
      }
    }
    const { body } = await tenant.request('GET', `/reports/stock?product_id=${product.id}&since=${dayIn(0)}`)
    expect(body.data.minimum_threshold).toBe(10)
  })

  it('reads the movements of days that are not in the hours in full', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    await fillHistory(service, tenant, product)
    while ((await foldAllCounts(service.db)) > 0);
    // As if a server of an earlier version had counted movements of some days, and all days before those.
    await sql`delete from movement_hour_days where tenant_id = ${tenant.id} and day < ${dayIn(-20)}::date`.execute(
      service.db.kysely,
    )
    await sql`update movement_hour_days set count = count - 1 where tenant_id = ${tenant.id} and day in (${dayIn(-5)}::date, ${dayIn(-3)}::date)`.execute(
      service.db.kysely,
    )
    for (const table of ['movement_product_hours', 'movement_level_hours'])
      await sql`
        update ${sql.table(table)} set quantity = quantity + 1000 where tenant_id = ${tenant.id}
          and ((at at time zone 'UTC')::date < ${dayIn(-20)}::date or (at at time zone 'UTC')::date in (${dayIn(-5)}::date, ${dayIn(-3)}::date))`.execute(
        service.db.kysely,
      )
    for (const location of [null, 'C']) {
      const days = { first: Date.now() - 45 * DAY_MS, stepMs: DAY_MS, location }
      const query = `product_id=${product.id}&since=${dayIn(-45)}${location === null ? '' : `&location_id=${location}`}`
      expect(await pointsOf(tenant, query)).toEqual(await expectedPoints(service, tenant, days))
    }
  })

  it('has every day or hour of the period, none of them in the future', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    await fillHistory(service, tenant, product)
    const days = await expectedPoints(service, tenant, { first: Date.now() - 30 * DAY_MS, stepMs: DAY_MS })
    const query = `product_id=${product.id}`
    const between = (from: number, to: number): Point[] => days.slice(30 + from, 31 + to)
    expect(await pointsOf(tenant, `${query}&since=${dayIn(-30)}&until=${dayIn(-10)}`)).toEqual(between(-30, -10))
    expect(await pointsOf(tenant, `${query}&since=${dayIn(-2)}T23:59:59Z&until=${dayIn(-1)}T00:00:00Z`)).toEqual(between(-2, -1))
    expect(await pointsOf(tenant, `${query}&since=${dayIn(-1)}&until=${dayIn(5)}`)).toEqual(between(-1, 0))
    expect(await pointsOf(tenant, `${query}&since=${dayIn(1)}`)).toEqual([])
    expect(await pointsOf(tenant, `${query}&since=${dayIn(-3)}&until=${dayIn(-3)}&step=hour`)).toHaveLength(24)
    expect(await pointsOf(tenant, `${query}&location_id=nowhere&since=${dayIn(0)}`)).toMatchObject([{ quantity: 0 }])
  })

  it('knows deleted products, and no other tenant’s', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 7 })
    await tenant.request('DELETE', `/products/${product.id}`)
    const path = `/reports/stock?product_id=${product.id}&since=${dayIn(0)}`
    expect((await tenant.request('GET', path)).body.data.points.at(-1)).toMatchObject({ quantity: 7 })
    const other = await service.newTenant()
    expect((await other.request('GET', path)).body.error.code).toBe('not_found')
  })

  it('covers 366 days at most, and 31 by hour', async ({ tenant }) => {
    const { id } = await newProduct(tenant)
    const refused = async (query: string) =>
      (await tenant.request('GET', `/reports/stock?product_id=${id}&${query}`)).body.error.details
    expect(await pointsOf(tenant, `product_id=${id}&since=2025-01-01&until=2026-01-01`)).toHaveLength(366)
    expect(await refused('since=2025-01-01&until=2026-01-02')).toEqual([
      { path: 'since', error: 'must be at most 366 days before until' },
    ])
    expect(await pointsOf(tenant, `product_id=${id}&since=2026-01-01&until=2026-01-31&step=hour`)).toHaveLength(744)
    expect(await refused('since=2026-01-01&until=2026-02-01&step=hour')).toEqual([
      { path: 'since', error: 'must be at most 31 days before until' },
    ])
    expect(await refused('since=2026-01-01&step=week')).toMatchObject([{ path: 'step' }])
  })
})
