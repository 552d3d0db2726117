import { describe, expect, it } from 'vitest'
import { ATTEMPTS_OF_SCHEDULE, heldUntil, nextTry } from '@fulfillment/server/delivery/retry-schedule.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const NOW = new Date('2026-11-22T12:00:00.000Z')

/** How long to wait after the `tries`th attempt. */
const waitAfter = (tries: number): number => (nextTry(tries, NOW)?.getTime() ?? NaN) - NOW.getTime()

describe('the next attempt', () => {
  it.each([
    [1, 5 * SECOND],
    [2, 30 * SECOND],
    [3, 2 * MINUTE],
    [4, 10 * MINUTE],
    [5, 30 * MINUTE],
    [6, 2 * HOUR],
    [7, 5 * HOUR],
    [8, 10 * HOUR],
    [9, 14 * HOUR],
    [10, 20 * HOUR],
    [11, 24 * HOUR],
  ])('follows attempt %i after %i ms and up to a fifth more, differently each time', (tries, delayMs) => {
    const waits = Array.from({ length: 500 }, () => waitAfter(tries))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(delayMs)
    expect(Math.max(...waits)).toBeLessThanOrEqual(delayMs * 1.2)
    // Spread over the whole fifth: deliveries that failed together are not sent again together.
    expect(Math.min(...waits)).toBeLessThan(delayMs * 1.05)
    expect(Math.max(...waits)).toBeGreaterThan(delayMs * 1.15)
  })

  it('does not exist after the last one', () => {
    expect(ATTEMPTS_OF_SCHEDULE).toBe(12)
    expect(nextTry(ATTEMPTS_OF_SCHEDULE, NOW)).toBeUndefined()
    expect(nextTry(40_000, NOW)).toBeUndefined()
  })
})

describe('a requested wait', () => {
  const waitOf = (tries: number, requestedMs: number): number =>
    (nextTry(tries, NOW, new Date(NOW.getTime() + requestedMs))?.getTime() ?? NaN) - NOW.getTime()

  it.each([1, 2, 3])('replaces the delay after attempt %i', (tries) => {
    expect(waitOf(tries, SECOND)).toBe(SECOND)
    expect(waitOf(tries, HOUR)).toBe(HOUR)
  })

  it.each([
    [4, 10 * MINUTE],
    [11, 24 * HOUR],
  ])('only lengthens the delay after attempt %i', (tries, delayMs) => {
    expect(waitOf(tries, SECOND)).toBeGreaterThanOrEqual(delayMs)
    expect(waitOf(tries, 30 * HOUR)).toBe(30 * HOUR)
  })

  it('does not make one more attempt', () => expect(waitOf(12, SECOND)).toBeNaN())
})

describe('a Retry-After', () => {
  /** For how long the header asks to wait. */
  const holdOf = (header: string | undefined): number | undefined => {
    const until = heldUntil(header, NOW)
    return until === undefined ? undefined : until.getTime() - NOW.getTime()
  }

  it.each([
    ['120', 2 * MINUTE],
    [' 1 ', SECOND],
    ['Sun, 22 Nov 2026 12:10:00 GMT', 10 * MINUTE],
    ['2026-11-22T13:00:00Z', HOUR],
  ])('of %j holds until then', (header, waitMs) => expect(holdOf(header)).toBe(waitMs))

  it.each(['86401', '999999999999999999999', 'Fri, 01 Jan 2100 00:00:00 GMT'])('of %j holds for a day', (header) => {
    expect(holdOf(header)).toBe(24 * HOUR)
  })

  it.each([undefined, '', '0', '-5', '1.5 s', 'soon', 'Wed, 21 Oct 2015 07:28:00 GMT', 'Sun, 22 Nov 2026 12:00:00 GMT'])(
    'of %j asks for nothing',
    (header) => expect(holdOf(header)).toBeUndefined(),
  )
})
