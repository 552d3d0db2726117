import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { it } from './support/it.ts'
import type { TestService } from '../support/service.ts'
import { countInState, subscribe, writeEvents } from './support/deliveries.ts'
import { respondWith, closedPort, until } from '../support/receiver.ts'
import { atMost } from '../support/patience.ts'

const attempts = async (service: TestService): Promise<number> => {
  const { rows } = await service.db.dedicatedPool.query(
    'select sum(jsonb_array_length(attempts)) as count from waiting_deliveries',
  )
  return rows[0].count
}

it('dead receivers with large backlogs do not delay a healthy one', async ({ service, tenant, worker, startReceiver }) => {
  const silent = await startReceiver(() => {})
  const failing = await startReceiver(respondWith(500))
  const healthy = await startReceiver()
  for (const url of [silent.url, silent.url, failing.url, failing.url, await closedPort()]) {
    const tenant = await service.newTenant()
    await subscribe(tenant, url)
    await writeEvents(service, tenant, 4_000)
  }
  worker.wake()
  await until(async () => (await attempts(service)) > 20, 'attempts at the dead receivers')

  const { id } = await subscribe(tenant, healthy.url)
  const delays: number[] = []
  for (let n = 1; n <= 50; n++) {
    await writeEvents(service, tenant, 1)
    const committed = Date.now()
    worker.wake()
    await healthy.count(n)
    delays.push((healthy.received.at(-1)?.at ?? Infinity) - committed)
    await delay(10)
  }
  await countInState(tenant, id, 'succeeded', 50)
  const sorted = delays.toSorted((a, b) => a - b)
  expect(sorted[25]).toBeLessThan(atMost(250))
  expect(sorted[49]).toBeLessThan(atMost(1_500))
  // Two subscriptions have this URL, with at most ten requests in flight each.
  expect(silent.peak).toBeLessThanOrEqual(20)
})

it('a receiver that recovers gets its whole backlog quickly', async ({ service, tenant, worker, startReceiver }) => {
  const receiver = await startReceiver(respondWith(500))
  const { id } = await subscribe(tenant, receiver.url)
  await writeEvents(service, tenant, 1_000)
  worker.wake()
  await receiver.count(30)
  expect(receiver.received.length).toBeLessThan(1_000)
  receiver.behave(respondWith(200))
  worker.advance(10_000)
  await until(async () => {
    worker.wake()
    const { body } = await tenant.request('GET', `/webhooks/${id}/deliveries?limit=1&state=succeeded`)
    return body.data.pagination.total === 1_000
  }, 'the backlog')
})
