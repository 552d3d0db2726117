import { describe, expect } from 'vitest'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import { it } from '../support/shared-service.ts'
import type { TestTenant } from '../support/service.ts'

const DAY_MS = 86_400_000
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

/** `[date, state, count]` of each day and state. */
async function reportOf(tenant: TestTenant, query: string): Promise<[string, number, number][]> {
  const { body } = await tenant.request('GET', `/reports/orders?${query}`)
  return body.data.days.flatMap(({ date, counts }: { date: string; counts: { state_id: number; count: number }[] }) =>
    counts.map(({ state_id, count }) => [date, state_id, count]),
  )
}

async function createOrder(tenant: TestTenant, identifier: string, assemblyDate: string): Promise<number> {
  const order = { order_tenant_id: identifier, assembly_date: assemblyDate, order_detail: [{ barcode: '1', quantity: 1 }] }
  const { body } = await tenant.request('POST', '/orders', order)
  return body.data.orders[0].id
}

describe('GET /reports/orders', () => {
  it('counts orders by day and state, before and after the counts are folded', async ({ service, tenant }) => {
    await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' })
    const [first] = [await createOrder(tenant, 'A', dayIn(1)), await createOrder(tenant, 'B', dayIn(3))]
    await createOrder(tenant, 'C', dayIn(3))
    await tenant.request('PUT', `/orders/${first}`, { state_id: 2 })
    // The test may run past midnight: then the days are yesterday's and today's.
    const created = await reportOf(tenant, `since=${dayIn(-1)}`)
    const inState = (state: number): number =>
      created.filter(([, state_id]) => state_id === state).reduce((sum, [, , count]) => sum + count, 0)
    expect([inState(1), inState(2)]).toEqual([2, 1])
    const assembled = await reportOf(tenant, `by=assembly&since=${dayIn(-1)}&until=${dayIn(5)}`)
    expect(assembled).toEqual([
      [dayIn(1), 2, 1],
      [dayIn(3), 1, 2],
    ])
    await foldAllCounts(service.db)
    expect(await reportOf(tenant, `by=assembly&since=${dayIn(-1)}&until=${dayIn(5)}`)).toEqual(assembled)
    expect(await reportOf(tenant, `by=assembly&since=${dayIn(2)}&until=${dayIn(2)}`)).toEqual([])
    expect(await reportOf(tenant, `by=assembly&since=${dayIn(3)}&until=${dayIn(3)}`)).toEqual([[dayIn(3), 1, 2]])
    await tenant.request('POST', `/orders/${first}/cancel`, {})
    expect(await reportOf(tenant, `by=assembly&since=${dayIn(1)}&until=${dayIn(1)}`)).toEqual([[dayIn(1), 7, 1]])
  })

  it('has days of UTC, named by a date or by a time of the day', async ({ tenant }) => {
    await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' })
    await createOrder(tenant, 'A', '2026-03-10')
    const day = [['2026-03-10', 1, 1]]
    for (const [since, until] of [
      ['2026-03-10', '2026-03-10'],
      ['2026-03-10T23:59:59.999Z', '2026-03-10T00:00:00Z'],
      ['2026-03-11T00:30:00%2B01:00', '2026-03-10T12:00:00Z'],
    ])
      expect([since, await reportOf(tenant, `by=assembly&since=${since}&until=${until}`)]).toEqual([since, day])
    expect(await reportOf(tenant, 'by=assembly&since=2026-03-10T23:30:00-01:00&until=2026-03-11')).toEqual([])
    expect(await reportOf(tenant, 'by=assembly&since=2026-03-01&until=2026-03-09T23:59:59Z')).toEqual([])
  })

  it('covers 366 days at most, and says so', async ({ tenant }) => {
    const refused = async (query: string) => (await tenant.request('GET', `/reports/orders?${query}`)).body.error
    expect(await reportOf(tenant, 'since=2026-01-01&until=2027-01-01')).toEqual([])
    expect(await refused('since=2026-01-01&until=2027-01-02')).toMatchObject({
      code: 'validation_error',
      details: [{ path: 'since', error: 'must be at most 366 days before until' }],
    })
    expect(await refused('until=2027-01-02')).toMatchObject({ details: [{ path: 'since' }] })
    expect(await refused('since=2026-01-01&by=week')).toMatchObject({ details: [{ path: 'by' }] })
  })
})
