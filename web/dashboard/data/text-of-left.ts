import { APIError, ConnectionError } from '../../shared/api.ts'
import { isUnanswered } from '../../shared/is-unanswered.ts'
import { t } from '../../shared/texts/texts.ts'

/** How a write failed whose screen or dialog was left, `place`. Nothing there repeats it with its key, so `Try again` is no advice. */
export function textOfLeft(error: Error, place: string): string {
  const text = isOpen(error) ? t.left.unconfirmed(place) : t.left.notDone(place, error.message)
  const id = error instanceof APIError ? error.requestId : undefined
  return id === undefined ? text : `${text} (${t.states.request(id)})`
}

/** Whether it may be done all the same. An error of the connection without a cause is of a write that was never sent. */
const isOpen = (error: Error): boolean =>
  error instanceof APIError ? isUnanswered(error) : error instanceof ConnectionError && error.cause !== undefined
