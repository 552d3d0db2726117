import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { removeOldHours } from '@fulfillment/server/domain/reports/remove-old-hours.ts'
import { respondWith } from '../support/receiver.ts'
import type { TestTenant } from '../support/service.ts'
import { countInState, subscribe, writeEvents } from './support/deliveries.ts'
import { it } from './support/it.ts'

interface Sums {
  succeeded: number
  failed: number
}

/** An hour before and after now: the test may run into the next one. */
const range = (): string =>
  `since=${new Date(Date.now() - 3_600_000).toISOString()}&until=${new Date(Date.now() + 3_600_000).toISOString()}`

async function hoursOf(tenant: TestTenant, filter = ''): Promise<(Sums & { p50_ms: number; p95_ms: number })[]> {
  return (await tenant.request('GET', `/reports/deliveries?${range()}${filter}`)).body.data.hours
}

async function sumsOf(tenant: TestTenant, filter = ''): Promise<Sums> {
  const hours = await hoursOf(tenant, filter)
  const sum = (key: keyof Sums): number => hours.reduce((total, hour) => total + hour[key], 0)
  return { succeeded: sum('succeeded'), failed: sum('failed') }
}

describe('GET /reports/deliveries', () => {
  it('counts attempts by success, of all webhooks or of one', async ({ service, tenant, receiver, startReceiver, worker }) => {
    const other = await startReceiver()
    const { id } = await subscribe(tenant, receiver.url)
    const { id: otherId } = await subscribe(tenant, other.url)
    receiver.behave(respondWith(500))
    await writeEvents(service, tenant, 2)
    worker.wake()
    await countInState(tenant, id, 'pending', 2)
    await countInState(tenant, otherId, 'succeeded', 2)
    await expect.poll(() => sumsOf(tenant)).toEqual({ succeeded: 2, failed: 2 })
    expect(await sumsOf(tenant, `&webhook_id=${id}`)).toEqual({ succeeded: 0, failed: 2 })
    expect(await sumsOf(tenant, `&webhook_id=${otherId}`)).toEqual({ succeeded: 2, failed: 0 })
    for (const unknown of ['999999', 'nothing', '1e3']) expect(await hoursOf(tenant, `&webhook_id=${unknown}`)).toEqual([])
    expect(await hoursOf(await service.newTenant())).toEqual([])
  })

  it('tells how long attempts took', async ({ service, tenant, receiver, worker }) => {
    const { id } = await subscribe(tenant, receiver.url)
    receiver.behave(async (_request, response) => {
      await delay(400)
      response.end()
    })
    await writeEvents(service, tenant, 3)
    worker.wake()
    await countInState(tenant, id, 'succeeded', 3)
    await expect.poll(() => sumsOf(tenant)).toEqual({ succeeded: 3, failed: 0 })
    for (const { p50_ms, p95_ms } of await hoursOf(tenant)) {
      // The class of 300 to 500 ms, or on a busy machine a later one.
      expect(p50_ms).toBeGreaterThanOrEqual(500)
      expect(p95_ms).toBeGreaterThanOrEqual(p50_ms)
    }
  })

  it('gives the limits of the classes as percentiles, over all webhooks', async ({ service, tenant }) => {
    const durations = (counts: Record<number, number>): string =>
      `{${Array.from({ length: 20 }, (_, index) => counts[index] ?? 0).join(',')}}`
    await service.db.dedicatedPool.query(
      `insert into delivery_hours values
         ($1, date_trunc('hour', now()), 1, 50, 0, '${durations({ 0: 50 })}'),
         ($1, date_trunc('hour', now()), 2, 45, 5, '${durations({ 7: 44, 10: 1, 19: 5 })}')`,
      [tenant.id],
    )
    expect(await hoursOf(tenant)).toMatchObject([{ succeeded: 95, failed: 5, p50_ms: 5, p95_ms: 500 }])
    expect(await hoursOf(tenant, '&webhook_id=2')).toMatchObject([{ succeeded: 45, failed: 5, p50_ms: 150, p95_ms: 20_000 }])
  })

  it('covers 31 days at most, and forgets after 90', async ({ service, tenant }) => {
    const refused = await tenant.request('GET', '/reports/deliveries?since=2026-01-01&until=2026-02-01')
    expect(refused.body.error).toMatchObject({ code: 'validation_error', details: [{ path: 'since' }] })
    const { dedicatedPool } = service.db
    await dedicatedPool.query(
      `insert into delivery_hours select $1, date_trunc('hour', now()) - days * interval '1 day', 1, 1, 0, array_fill(0, array[20])
       from unnest(array[1, 89, 91]) days`,
      [tenant.id],
    )
    await removeOldHours(service.db, new AbortController().signal)
    const { rows } = await dedicatedPool.query('select count(*)::int as left from delivery_hours where tenant_id = $1', [
      tenant.id,
    ])
    expect(rows).toEqual([{ left: 2 }])
  })
})
