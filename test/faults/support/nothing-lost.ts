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
  // Asked again after a lost connection: the server of the last one may have been killed, and a load balancer of a test loses responses.
  const reconciled = async () => (await tenant.request('GET', '/stock/reconcile?limit=100').catch(() => undefined))?.body.data
  await expect.poll(reconciled).toMatchObject({ is_balanced: true, differences: [] })
}
