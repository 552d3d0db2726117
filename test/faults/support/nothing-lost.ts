import { expect } from 'vitest'
import { expectBalancedBooks, expectDelivered } from './books.ts'
import { endLeases, undelivered, type Loaded } from './loaded-tenant.ts'

/**
 * Ends the load. Then expects every acknowledged write exactly once, no incomplete write, and every event at the receiver. `endsLeases` ends
 * the leases of killed workers instead of waiting for them.
 */
export async function expectNothingLost(
  { db, tenant, load, receiver }: Loaded,
  { endsLeases, withinMs }: { endsLeases: boolean; withinMs: number },
): Promise<void> {
  // Enough writes for a meaningful result, even on a slow machine.
  await expect.poll(() => load.acknowledged, { interval: 100 }).toBeGreaterThan(100)
  await load.stop()
  expect(load.faults).toEqual([])
  await expectBalancedBooks(db, tenant, load.writes)
  if (endsLeases) await endLeases(db)
  await expect.poll(() => undelivered(db), { timeout: withinMs, interval: 100 }).toBe(0)
  await expectDelivered(db, tenant, receiver.received)
  // A new connection: the server of the last connection may have been killed.
  const { body } = await tenant.request('GET', '/stock/reconcile?limit=100', undefined, { headers: { connection: 'close' } })
  expect(body.data).toMatchObject({ is_balanced: true, differences: [] })
}
