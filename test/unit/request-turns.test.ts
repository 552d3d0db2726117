import { setImmediate as nextRound } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RequestTurns, type Turn } from '@fulfillment/server/http/request-turns.ts'

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

/** Asks for a turn and adds it to `begun` when it comes. */
function ask(turns: RequestTurns, tenantId: number, begun: Turn[], largeBytes = 0): void {
  const turn = turns.begin(tenantId, largeBytes)
  if (turn instanceof Promise) void turn.then((later) => begun.push(later))
  else begun.push(turn)
}

/** Two tenants that are known to be active, with nothing in progress. */
function twoActive(requestsPerMinute = LIMIT): RequestTurns {
  const turns = new RequestTurns(requestsPerMinute)
  for (const tenantId of [1, 2]) turns.end(turns.begin(tenantId) as Turn)
  return turns
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
  const turns = new RequestTurns(LIMIT)
  const begun: Turn[] = []
  for (let n = 0; n < 100; n++) ask(turns, 1, begun, n % 2 === 0 ? LARGE : 0)
  expect(begun).toHaveLength(100)
})

it('few requests are in progress, so that no tenant waits behind the hundreds of another', async () => {
  const turns = twoActive()
  const begun: Turn[] = []
  for (let n = 0; n < 200; n++) ask(turns, 1, begun)
  expect(begun).toHaveLength(WITHIN_PACE)
  ask(turns, 2, begun)
  expect(begun.at(-1)?.line.tenantId).toBe(2)
  await rounds(10)
  expect(begun).toHaveLength(WITHIN_PACE + 1)
})

it('requests beyond the pace run one at a time', async () => {
  const turns = twoActive()
  const begun: Turn[] = []
  for (let n = 0; n < 200; n++) ask(turns, 1, begun)
  let most = 0
  for (let ended = 0; ended < 100; ended++) {
    await rounds(3)
    turns.end(begun[ended] as Turn)
    await rounds(3)
    // One of the pace was taken before.
    if (ended >= SAVED) most = Math.max(most, begun.length - ended - 1)
  }
  expect(most).toBe(1)
  expect(begun.filter(({ isBeyondPace }) => !isBeyondPace)).toHaveLength(SAVED - 1)
})

it('slow requests use up the pace', async () => {
  const turns = twoActive()
  const begun: Turn[] = []
  for (let n = 0; n < 200; n++) ask(turns, 1, begun)
  vi.advanceTimersByTime(200)
  for (const turn of begun.splice(0)) turns.end(turn)
  await rounds(5)
  expect(begun.map(({ isBeyondPace }) => isBeyondPace)).toEqual([true])
})

it('each completed request starts the next one', async () => {
  const turns = twoActive()
  const begun: Turn[] = []
  for (let n = 0; n < 200; n++) ask(turns, 1, begun)
  for (let ended = 0; ended < 200; ended++) {
    await rounds(3)
    turns.end(begun[ended] as Turn)
  }
  expect(begun).toHaveLength(200)
})

it('requests within the pace do not wait', async () => {
  const turns = twoActive()
  const begun: Turn[] = []
  for (let n = 1; n <= 200; n++) {
    ask(turns, 1, begun)
    expect(begun).toHaveLength(n)
    vi.advanceTimersByTime(5)
    turns.end(begun.at(-1) as Turn)
    vi.advanceTimersByTime(5)
  }
  expect(begun.filter(({ isBeyondPace }) => isBeyondPace)).toEqual([])
})

it('a higher limit allows a higher pace', async () => {
  const turns = twoActive(10 * LIMIT)
  const begun: Turn[] = []
  for (let n = 0; n < 1_000; n++) ask(turns, 1, begun)
  expect(begun).toHaveLength(10 * WITHIN_PACE)
  for (let ended = 0; ended < 500; ended++) {
    turns.end(begun[ended] as Turn)
    await rounds(3)
  }
  expect(begun.filter(({ isBeyondPace }) => !isBeyondPace)).toHaveLength(10 * SAVED - 1)
})

it('without a limit, a fixed number of requests run, and start together to share statements', async () => {
  const turns = twoActive(0)
  const begun: Turn[] = []
  for (let n = 0; n < 200; n++) ask(turns, 1, begun, n % 2 === 0 ? LARGE : 0)
  await rounds(50)
  expect(begun).toHaveLength(16)
  for (const turn of begun.splice(0)) turns.end(turn)
  await rounds(2)
  expect(begun).toHaveLength(16)
})

it('requests with large bodies run one at a time at their own pace, and do not block small ones', async () => {
  const turns = twoActive()
  const large: Turn[] = []
  const small: Turn[] = []
  for (let n = 0; n < 3; n++) ask(turns, 1, large, LARGE)
  ask(turns, 1, small)
  expect(small).toHaveLength(1)
  await rounds(10)
  expect(large).toHaveLength(1)
  turns.end(large[0] as Turn)
  await pass(1_500)
  expect(large).toHaveLength(1)
  await pass(500)
  expect(large).toHaveLength(2)
  await pass(1_500)
  expect(large).toHaveLength(2)
})

it('requests that are in progress for long no longer count', async () => {
  const turns = twoActive()
  const begun: Turn[] = []
  for (let n = 0; n < 2_000; n++) ask(turns, 1, begun)
  await pass(200)
  expect(begun).toHaveLength(WITHIN_PACE)
  await pass(100)
  expect(begun).toHaveLength(2 * WITHIN_PACE)
})
