import { setImmediate as nextRound } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RequestScheduler, type StartedRequest } from '@fulfillment/server/http/limits/request-scheduler.ts'
import { ActiveTenants } from '@fulfillment/server/runtime/event-loop/active-tenants.ts'

/** The default limit of a tenant: 100 requests a second. */
const LIMIT = 6_000
/** Requests that can start at once after a pause, and how many of them are in progress at a time. */
const SAVED = 20
const WITHIN_PACE = 2
/** The size of a large body. */
const LARGE = 5_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Asks for the start of a request, and adds it to `started` when it comes. */
function ask(scheduler: RequestScheduler, tenantId: number, started: StartedRequest[], largeBytes = 0): void {
  const request = scheduler.start(tenantId, largeBytes)
  if (request instanceof Promise) void request.then((later) => started.push(later))
  else started.push(request)
}

/** Two tenants that are known to be active, with nothing in progress. */
function twoActive(requestsPerMinute = LIMIT): RequestScheduler {
  const scheduler = new RequestScheduler(requestsPerMinute, new ActiveTenants())
  for (const tenantId of [1, 2]) scheduler.finish(scheduler.start(tenantId) as StartedRequest)
  return scheduler
}

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round++) await nextRound()
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    vi.advanceTimersByTime(10)
    await rounds(3)
  }
}

it('a single tenant does not wait', () => {
  const scheduler = new RequestScheduler(LIMIT, new ActiveTenants())
  const started: StartedRequest[] = []
  for (let n = 0; n < 100; n++) ask(scheduler, 1, started, n % 2 === 0 ? LARGE : 0)
  expect(started).toHaveLength(100)
})

it('few requests are in progress, so that no tenant waits behind the hundreds of another', async () => {
  const scheduler = twoActive()
  const started: StartedRequest[] = []
  for (let n = 0; n < 200; n++) ask(scheduler, 1, started)
  expect(started).toHaveLength(WITHIN_PACE)
  ask(scheduler, 2, started)
  expect(started.at(-1)?.queue.tenantId).toBe(2)
  await rounds(10)
  expect(started).toHaveLength(WITHIN_PACE + 1)
})

it('requests beyond the pace run one at a time', async () => {
  const scheduler = twoActive()
  const started: StartedRequest[] = []
  for (let n = 0; n < 200; n++) ask(scheduler, 1, started)
  let most = 0
  for (let ended = 0; ended < 100; ended++) {
    await rounds(3)
    scheduler.finish(started[ended] as StartedRequest)
    await rounds(3)
    // One of the pace was taken before.
    if (ended >= SAVED) most = Math.max(most, started.length - ended - 1)
  }
  expect(most).toBe(1)
  expect(started.filter(({ isBeyondPace }) => !isBeyondPace)).toHaveLength(SAVED - 1)
})

it('slow requests use up the pace', async () => {
  const scheduler = twoActive()
  const started: StartedRequest[] = []
  for (let n = 0; n < 200; n++) ask(scheduler, 1, started)
  vi.advanceTimersByTime(200)
  for (const request of started.splice(0)) scheduler.finish(request)
  await rounds(5)
  expect(started.map(({ isBeyondPace }) => isBeyondPace)).toEqual([true])
})

it('each completed request starts the next one', async () => {
  const scheduler = twoActive()
  const started: StartedRequest[] = []
  for (let n = 0; n < 200; n++) ask(scheduler, 1, started)
  for (let ended = 0; ended < 200; ended++) {
    await rounds(3)
    scheduler.finish(started[ended] as StartedRequest)
  }
  expect(started).toHaveLength(200)
})

it('requests within the pace do not wait', async () => {
  const scheduler = twoActive()
  const started: StartedRequest[] = []
  for (let n = 1; n <= 200; n++) {
    ask(scheduler, 1, started)
    expect(started).toHaveLength(n)
    vi.advanceTimersByTime(5)
    scheduler.finish(started.at(-1) as StartedRequest)
    vi.advanceTimersByTime(5)
  }
  expect(started.filter(({ isBeyondPace }) => isBeyondPace)).toEqual([])
})

it('a higher limit allows a higher pace', async () => {
  const scheduler = twoActive(10 * LIMIT)
  const started: StartedRequest[] = []
  for (let n = 0; n < 1_000; n++) ask(scheduler, 1, started)
  expect(started).toHaveLength(10 * WITHIN_PACE)
  for (let ended = 0; ended < 500; ended++) {
    scheduler.finish(started[ended] as StartedRequest)
    await rounds(3)
  }
  expect(started.filter(({ isBeyondPace }) => !isBeyondPace)).toHaveLength(10 * SAVED - 1)
})

it('without a limit, a fixed number of requests run, and start together to share statements', async () => {
  const scheduler = twoActive(0)
  const started: StartedRequest[] = []
  for (let n = 0; n < 200; n++) ask(scheduler, 1, started, n % 2 === 0 ? LARGE : 0)
  await rounds(50)
  expect(started).toHaveLength(16)
  for (const request of started.splice(0)) scheduler.finish(request)
  await rounds(2)
  expect(started).toHaveLength(16)
})

it('requests with large bodies run one at a time at their own pace, and do not block small ones', async () => {
  const scheduler = twoActive()
  const large: StartedRequest[] = []
  const small: StartedRequest[] = []
  for (let n = 0; n < 3; n++) ask(scheduler, 1, large, LARGE)
  ask(scheduler, 1, small)
  expect(small).toHaveLength(1)
  await rounds(10)
  expect(large).toHaveLength(1)
  scheduler.finish(large[0] as StartedRequest)
  await pass(1_500)
  expect(large).toHaveLength(1)
  await pass(500)
  expect(large).toHaveLength(2)
  await pass(1_500)
  expect(large).toHaveLength(2)
})

it('requests that are in progress for long no longer count', async () => {
  const scheduler = twoActive()
  const started: StartedRequest[] = []
  for (let n = 0; n < 2_000; n++) ask(scheduler, 1, started)
  await pass(200)
  expect(started).toHaveLength(WITHIN_PACE)
  await pass(100)
  expect(started).toHaveLength(2 * WITHIN_PACE)
})
