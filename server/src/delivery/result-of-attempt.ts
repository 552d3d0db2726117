import type { AttemptResult } from './attempt-delivery.ts'
import type { Claimed } from './claim-deliveries.ts'
import type { Result } from './record-results.ts'
import { heldUntil, nextTry } from './retry-schedule.ts'

const GONE = 410
const ASK_TO_WAIT = new Set([429, 503])

/** The next state of a delivery after an attempt: acknowledged, to be retried, or given up. */
export function resultOfAttempt(delivery: Claimed, { attempt, acknowledged, retryAfter, endedAt }: AttemptResult): Result {
  if (acknowledged) return { delivery, attempt, state: 'succeeded' }
  const status = attempt.response_status ?? 0
  if (status === GONE) return { delivery, attempt, state: 'failed', gone: true }
  const hold = ASK_TO_WAIT.has(status) ? heldUntil(retryAfter, endedAt) : undefined
  const nextAttemptAt = nextTry(delivery.tries + 1, endedAt, hold)
  // An inactive subscription gets a manual retry once.
  if (nextAttemptAt === undefined || !delivery.active) return { delivery, attempt, state: 'failed', heldUntil: hold }
  return { delivery, attempt, state: 'pending', nextAttemptAt, heldUntil: hold }
}

/** True when the receiver is overloaded or down: no complete response in time, a broken connection, or a 5xx. */
export function isStruggling({ attempt, isComplete }: AttemptResult): boolean {
  return !isComplete || (attempt.response_status ?? 0) >= 500
}
