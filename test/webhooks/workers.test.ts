import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestService, TestTenant } from '../support/service.ts'
import {
  countInState,
  deliveriesOf,
  encryptionKey,
  startApi,
  startWorker,
  subscribe,
  writeEvents,
  type Worker,
} from './support/deliveries.ts'
import {
  acknowledge,
  answerWith,
  startReceiver,
  until,
  type Behaviour,
  type Received,
  type Receiver,
} from './support/receiver.ts'

let service: TestService
let tenant: TestTenant
let workers: Worker[]
let processes: ChildProcess[]
beforeAll(async () => {
  service = await startApi()
})
afterAll(() => service.stop())
beforeEach(async () => {
  workers = []
  processes = []
  tenant = await service.newTenant()
  return async () => {
    processes.forEach((child) => child.kill('SIGKILL'))
    await Promise.all(workers.map((worker) => worker.stop({ graceMs: 0 })))
  }
})

function newWorker(options: Parameters<typeof startWorker>[1] = {}): Worker {
  const worker = startWorker(service, options)
  workers.push(worker)
  return worker
}

const idsOf = ({ received }: Receiver): string[] => received.map(({ event }) => event.id)

/** Answers when `release` is called. */
function heldAnswers(): { behaviour: Behaviour; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    behaviour: async (_request, response) => {
      await promise
      response.end('ok')
    },
    release: resolve,
  }
}

function startProcess(): ChildProcess {
  const program = fileURLToPath(new URL('support/worker-process.ts', import.meta.url))
  const child = spawn(process.execPath, [program, service.databaseUrl, encryptionKey], { stdio: 'inherit' })
  processes.push(child)
  return child
}

describe('several workers', () => {
  it('send each event once, and no more than 10 at a time to one receiver', async () => {
    const receiver = await startReceiver(async (_request, response) => {
      await delay(2)
      response.end()
    })
    const others = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
    const { id } = await subscribe(tenant, receiver.url)
    for (const other of others) await subscribe(tenant, other.url)
    const ids: string[] = []
    for (let count = 0; count < 3; count++) newWorker()
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

  it('leave a delivery alone that another one has taken, until its lease ends', async () => {
    const receiver = await startReceiver(() => {})
    const { id } = await subscribe(tenant, receiver.url)
    const [eventId] = await writeEvents(service, tenant, 1)
    const stalled = startProcess()
    const [{ response }] = (await receiver.count(1)) as [Received]
    stalled.kill('SIGSTOP')
    receiver.behave(answerWith(500))
    const other = newWorker()
    await delay(4_000)
    expect(receiver.received).toHaveLength(1)
    other.advance(61_000)
    await receiver.count(2)
    await countInState(tenant, id, 'pending', 1)
    expect(idsOf(receiver)).toEqual([eventId, eventId])

    // The first process gets its answer at last: it has lost the lease, so that its result is not written.
    stalled.kill('SIGCONT')
    response.end('ok')
    await delay(500)
    expect(await deliveriesOf(tenant, id)).toMatchObject([{ state: 'pending', attempt_count: 1, last_status: 500 }])
  })
})

describe('a worker that is stopped', () => {
  it('ends what is in flight, hands back the rest, and another one goes on at once', async () => {
    const { behaviour: hold, release } = heldAnswers()
    const receiver = await startReceiver((...request) => (receiver.received.length > 100 ? hold : acknowledge)(...request))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 400)
    const first = newWorker()
    first.wake()
    // The receiver answered fast, so that many deliveries are claimed ahead of the ten that it now holds.
    await receiver.count(110)
    const { body } = await tenant.request('GET', `/webhooks/${id}/deliveries?limit=1&state=in_flight`)
    expect(body.data.pagination.total).toBeGreaterThan(10)
    const stopped = first.stop()
    await delay(50)
    release()
    await stopped
    expect(await deliveriesOf(tenant, id, '&state=in_flight')).toEqual([])
    expect(receiver.received).toHaveLength(110)
    newWorker()
    await countInState(tenant, id, 'succeeded', 400)
    expect(new Set(idsOf(receiver)).size).toBe(400)
    expect(receiver.received).toHaveLength(400)
  })

  it('hands back what does not end in time', async () => {
    const receiver = await startReceiver(() => {})
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    const first = newWorker()
    first.wake()
    await receiver.count(1)
    await first.stop({ graceMs: 100 })
    expect(await deliveriesOf(tenant, id)).toMatchObject([{ state: 'pending', attempt_count: 0 }])
    receiver.behave(acknowledge)
    newWorker()
    await countInState(tenant, id, 'succeeded', 1)
  })
})

describe('a worker process that is killed', () => {
  it('loses nothing: its deliveries go out again with the same ids, and other receivers notice nothing', async () => {
    const slow = await startReceiver(() => {})
    const healthy = await startReceiver()
    const { id } = await subscribe(tenant, slow.url, ['product/deleted'])
    await subscribe(tenant, healthy.url, ['product/created'])
    const ids = await writeEvents(service, tenant, 25)
    const process = startProcess()
    const inFlight = await slow.count(10)
    const first = await writeEvents(service, tenant, 20, 'product/created')
    await healthy.count(20)
    process.kill('SIGKILL')
    await once(process, 'exit')

    slow.behave(acknowledge)
    const second = newWorker()
    const later = await writeEvents(service, tenant, 20, 'product/created')
    second.wake()
    await healthy.count(40)
    expect(idsOf(healthy)).toEqual([...first, ...later])
    expect(slow.received).toHaveLength(10)

    const sentBefore = inFlight.map(({ event }) => event.id)
    second.advance(61_000)
    await countInState(tenant, id, 'succeeded', 25)
    expect(idsOf(slow).slice(10).toSorted()).toEqual(ids)
    expect(ids).toEqual(expect.arrayContaining(sentBefore))
  })

  it('under load, again and again, leaves no event unsent', async () => {
    const receiver = await startReceiver(async (_request, response) => {
      await delay(1)
      response.end()
    })
    const { id } = await subscribe(tenant, receiver.url)
    const ids: string[] = []
    for (let round = 0; round < 3; round++) {
      const process = startProcess()
      ids.push(...(await writeEvents(service, tenant, 300)))
      await until(() => receiver.received.length > round * 300 + 20, 'some requests')
      process.kill('SIGKILL')
      await once(process, 'exit')
      const rescue = newWorker()
      rescue.advance((round + 1) * 61_000)
      await countInState(tenant, id, 'succeeded', ids.length)
      await rescue.stop()
      workers = []
    }
    expect([...new Set(idsOf(receiver))].toSorted()).toEqual(ids)
  })
})

describe('a worker whose database connections break', () => {
  it('goes on by itself', async () => {
    const receiver = await startReceiver()
    const { id } = await subscribe(tenant, receiver.url)
    const worker = newWorker()
    await writeEvents(service, tenant, 1)
    worker.wake()
    await receiver.count(1)
    await service.db.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await delay(50)
    await writeEvents(service, tenant, 5)
    worker.wake()
    await countInState(tenant, id, 'succeeded', 6)
    expect(receiver.received.length).toBeGreaterThanOrEqual(6)
  })
})
