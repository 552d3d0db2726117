import { expect } from 'vitest'
import type { Database } from '../../../server/src/database/database.ts'
import type { TestTenant } from '../../support/service.ts'
import type { Receiver } from '../../webhooks/support/receiver.ts'
import { expectBalancedBooks, expectDelivered } from './books.ts'
import type { Load } from './load.ts'
import { endLeases, undelivered } from './loaded-tenant.ts'

interface Survivors {
  db: Database
  tenant: TestTenant
  load: Load
  receiver: Receiver
}

/**
 * Ends the load, and expects every acknowledged write once, nothing by halves, and each event at the receiver. With `endsLeases`, without
 * waiting for the leases of workers that were killed.
 */
export async function expectNothingLost(
  { db, tenant, load, receiver }: Survivors,
  { endsLeases, withinMs }: { endsLeases: boolean; withinMs: number },
): Promise<void> {
  // Enough to say something, however slow the machine is at the moment.
  await expect.poll(() => load.acknowledged, { interval: 100 }).toBeGreaterThan(100)
  await load.stop()
  expect(load.faults).toEqual([])
  await expectBalancedBooks(db, tenant, load.writes)
  if (endsLeases) await endLeases(db)
  await expect.poll(() => undelivered(db), { timeout: withinMs, interval: 100 }).toBe(0)
  await expectDelivered(db, tenant, receiver.received)
  // Over a new connection: the server of the last one may have been killed.
  const { body } = await tenant.request('GET', '/stock/reconcile?limit=100', undefined, { headers: { connection: 'close' } })
  expect(body.data).toMatchObject({ is_balanced: true, differences: [] })
}
