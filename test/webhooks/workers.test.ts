import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { it as base } from './support/it.ts'
import { countInState, deliveriesOf, encryptionKey, subscribe, writeEvents } from './support/deliveries.ts'
import { acknowledge, respondWith, until, type Behaviour, type Received, type Receiver } from '../support/receiver.ts'

const PROGRAM = fileURLToPath(new URL('support/worker-process.ts', import.meta.url))

/** `startWorkerProcess` starts a worker in a separate process, which is killed when the test ends. */
const it = base.extend('startWorkerProcess', async ({ service }, { onCleanup }) => {
  const processes: ChildProcess[] = []
  onCleanup(() => processes.forEach((child) => child.kill('SIGKILL')))
  return (): ChildProcess => {
    const child = spawn(process.execPath, [PROGRAM, service.databaseUrl, encryptionKey], { stdio: 'inherit' })
    processes.push(child)
    return child
  }
})

const idsOf = ({ received }: Receiver): string[] => received.map(({ event }) => event.id)

/** A receiver behaviour that responds only after `release` is called. */
function heldResponses(): { behaviour: Behaviour; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    behaviour: async (_request, response) => {
      await promise
      response.end('ok')
    },
    release: resolve,
  }
}

describe('several workers', () => {
  it('send each event once, with at most 10 requests in flight to a receiver', async ({
    service,
    tenant,
    startReceiver,
    startWorker,
  }) => {
    const receiver = await startReceiver(async (_request, response) => {
      await delay(2)
      response.end()
    })
    const others = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
    const { id } = await subscribe(tenant, receiver.url)
    for (const other of others) await subscribe(tenant, other.url)
    const ids: string[] = []
    const workers = [startWorker(), startWorker(), startWorker()]
    for (let batch = 0; batch < 10; batch++) {
      ids.push(...(await writeEvents(service, tenant, 60)))
      workers.forEach((worker) => worker.wake())
    }
    await countInState(tenant, id, 'succeeded', 600)
    await Promise.all(others.map((other) => other.count(600)))
    for (const each of [receiver, ...others]) {
      expect(idsOf(each).toSorted()).toEqual(ids)
      expect(each.peak).toBeLessThanOrEqual(10)
    }
    expect(receiver.peak).toBeGreaterThan(5)
  })

  it('do not take a delivery that another one has leased', async ({
    service,
    tenant,
    startWorkerProcess,
    startReceiver,
    startWorker,
  }) => {
    const receiver = await startReceiver(() => {})
    const { id } = await subscribe(tenant, receiver.url)
    const [eventId] = await writeEvents(service, tenant, 1)
    const stalled = startWorkerProcess()
    const [{ response }] = (await receiver.count(1)) as [Received]
    stalled.kill('SIGSTOP')
    receiver.behave(respondWith(500))
    const other = startWorker()
    await delay(4_000)
    expect(receiver.received).toHaveLength(1)
    other.advance(61_000)
    await receiver.count(2)
    await countInState(tenant, id, 'pending', 1)
    expect(idsOf(receiver)).toEqual([eventId, eventId])

    // The first process now gets its response. It has lost the lease, so its result is not recorded.
    stalled.kill('SIGCONT')
    response.end('ok')
    await delay(500)
    expect(await deliveriesOf(tenant, id)).toMatchObject([{ state: 'pending', attempt_count: 1, last_status: 500 }])
  })
})

describe('a worker that is stopped', () => {
  it('completes requests in flight and releases the rest, and another worker continues immediately', async ({
    service,
    tenant,
    startReceiver,
    startWorker,
  }) => {
    const { behaviour: hold, release } = heldResponses()
    const receiver = await startReceiver((...request) => (receiver.received.length > 100 ? hold : acknowledge)(...request))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 400)
    const first = startWorker()
    first.wake()
    // The receiver responded fast, so the worker has claimed many deliveries ahead, beyond the ten that now wait for a response.
    await receiver.count(110)
    const { body } = await tenant.request('GET', `/webhooks/${id}/deliveries?limit=1&state=in_flight`)
    expect(body.data.pagination.total).toBeGreaterThan(10)
    const stopped = first.stop()
    await delay(50)
    release()
    await stopped
    expect(await deliveriesOf(tenant, id, '&state=in_flight')).toEqual([])
    expect(receiver.received).toHaveLength(110)
    startWorker()
    await countInState(tenant, id, 'succeeded', 400)
    expect(new Set(idsOf(receiver)).size).toBe(400)
    expect(receiver.received).toHaveLength(400)
  })

  it('releases requests that do not complete in time', async ({ service, tenant, startReceiver, startWorker }) => {
    const receiver = await startReceiver(() => {})
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    const first = startWorker()
    first.wake()
    await receiver.count(1)
    await first.stop({ graceMs: 100 })
    expect(await deliveriesOf(tenant, id)).toMatchObject([{ state: 'pending', attempt_count: 0 }])
    receiver.behave(acknowledge)
    startWorker()
    await countInState(tenant, id, 'succeeded', 1)
  })
})

describe('a worker process that is killed', () => {
  it('loses nothing: its deliveries are sent again with the same ids, and other receivers are not affected', async ({
    service,
    tenant,
    startWorkerProcess,
    startReceiver,
    startWorker,
  }) => {
    const slow = await startReceiver(() => {})
    const healthy = await startReceiver()
    const { id } = await subscribe(tenant, slow.url, ['product/deleted'])
    await subscribe(tenant, healthy.url, ['product/created'])
    const ids = await writeEvents(service, tenant, 25)
    const process = startWorkerProcess()
    const inFlight = await slow.count(10)
    const first = await writeEvents(service, tenant, 20, 'product/created')
    await healthy.count(20)
    process.kill('SIGKILL')
    await once(process, 'exit')

    slow.behave(acknowledge)
    const second = startWorker()
    const later = await writeEvents(service, tenant, 20, 'product/created')
    second.wake()
    await healthy.count(40)
    // Up to ten requests are in flight at the same time, so events may arrive in another order.
    expect(idsOf(healthy).toSorted()).toEqual([...first, ...later].toSorted())
    expect(slow.received).toHaveLength(10)

    const sentBefore = inFlight.map(({ event }) => event.id)
    second.advance(61_000)
    await countInState(tenant, id, 'succeeded', 25)
    expect(idsOf(slow).slice(10).toSorted()).toEqual(ids)
    expect(ids).toEqual(expect.arrayContaining(sentBefore))
  })

  it('repeatedly under load loses no event', async ({ service, tenant, startWorkerProcess, startReceiver, startWorker }) => {
    const receiver = await startReceiver(async (_request, response) => {
      await delay(1)
      response.end()
    })
    const { id } = await subscribe(tenant, receiver.url)
    const ids: string[] = []
    for (let round = 0; round < 3; round++) {
      const process = startWorkerProcess()
      ids.push(...(await writeEvents(service, tenant, 300)))
      await until(() => receiver.received.length > round * 300 + 20, 'some requests')
      process.kill('SIGKILL')
      await once(process, 'exit')
      const rescue = startWorker()
      rescue.advance((round + 1) * 61_000)
      await countInState(tenant, id, 'succeeded', ids.length)
      await rescue.stop()
    }
    expect([...new Set(idsOf(receiver))].toSorted()).toEqual(ids)
  })
})

describe('a worker whose database connections break', () => {
  it('recovers without help', async ({ service, tenant, receiver, startWorker }) => {
    const { id } = await subscribe(tenant, receiver.url)
    const worker = startWorker()
    await writeEvents(service, tenant, 1)
    worker.wake()
    await receiver.count(1)
    await service.db.dedicatedPool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    // Until the process has heard of the end of its connections, it can be given one of them.
    const write = (): Promise<boolean> =>
      writeEvents(service, tenant, 5).then(
        () => true,
        () => false,
      )
    await until(write, 'events to be written')
    worker.wake()
    await countInState(tenant, id, 'succeeded', 6)
    expect(receiver.received.length).toBeGreaterThanOrEqual(6)
  })
})
