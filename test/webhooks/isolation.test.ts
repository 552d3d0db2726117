import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestService } from '../support/service.ts'
import { countInState, startApi, startWorker, subscribe, writeEvents, type Worker } from './support/deliveries.ts'
import { answerWith, closedPort, startReceiver, until } from './support/receiver.ts'
import { atMost } from '../support/patience.ts'

let service: TestService
let worker: Worker
beforeAll(async () => {
  service = await startApi()
  worker = startWorker(service)
})
afterAll(async () => {
  await worker.stop({ graceMs: 0 })
  await service.stop()
})

const attempts = async (): Promise<number> => {
  const { rows } = await service.db.pool.query('select sum(jsonb_array_length(attempts)) as count from waiting_deliveries')
  return rows[0].count
}

it('dead receivers with large backlogs do not delay a healthy one', async () => {
  const silent = await startReceiver(() => {})
  const failing = await startReceiver(answerWith(500))
  const healthy = await startReceiver()
  for (const url of [silent.url, silent.url, failing.url, failing.url, await closedPort()]) {
    const tenant = await service.newTenant()
    await subscribe(tenant, url)
    await writeEvents(service, tenant, 4_000)
  }
  worker.wake()
  await until(async () => (await attempts()) > 20, 'attempts at the dead receivers')

  const tenant = await service.newTenant()
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
  // Four requests hang, one of each lane after it had its chance of ten.
  expect(silent.peak).toBeLessThanOrEqual(20)
})

it('a receiver that is back gets its whole backlog quickly', async () => {
  const receiver = await startReceiver(answerWith(500))
  const tenant = await service.newTenant()
  const { id } = await subscribe(tenant, receiver.url)
  await writeEvents(service, tenant, 1_000)
  worker.wake()
  await receiver.count(30)
  expect(receiver.received.length).toBeLessThan(1_000)
  receiver.behave(answerWith(200))
  worker.advance(10_000)
  await until(async () => {
    worker.wake()
    const { body } = await tenant.request('GET', `/webhooks/${id}/deliveries?limit=1&state=succeeded`)
    return body.data.pagination.total === 1_000
  }, 'the backlog')
})
