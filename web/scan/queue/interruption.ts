import { APIError, ConnectionError } from '@fulfillment/sdk'
import { isUnanswered, isUnreadable } from '../../shared/is-unanswered.ts'

/** Why it is not known what became of a call. */
export type Interruption =
  | { is: 'unanswered'; retryAfterMs: number | undefined }
  /** Nothing can be sent until the device is enrolled again, or an operator has signed in. */
  | { is: 'stopped'; until: 'enrolled' | 'signed in' }

/** What an error means if it says nothing of the entry itself. Throws what is no error of a call. */
export function interruptionOf(error: unknown): Interruption | undefined {
  if (error instanceof ConnectionError) return { is: 'unanswered', retryAfterMs: undefined }
  if (!(error instanceof APIError)) throw error
  const { status, code, retryAfterMs } = error
  // A code or badge that is not valid says nothing of the session, and neither does a proxy that asks for a sign-in of its own.
  const isOfSession = (code as string) !== 'invalid_code' && !isUnreadable(error)
  if (status === 401 && isOfSession) return { is: 'stopped', until: 'enrolled' }
  if ((code as string) === 'operator_required') return { is: 'stopped', until: 'signed in' }
  return isUnanswered(error) ? { is: 'unanswered', retryAfterMs } : undefined
}
