import { APIError, ConnectionError } from '@fulfillment/sdk'
import { isStillRunning, isUnreadable } from '../../shared/is-unanswered.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import { interruptionOf } from '../queue/interruption.ts'
import type { App } from './app.ts'

/**
 * Runs a call that cannot wait. Without a connection, or when it is refused, the operator is stopped with the reason; then it is undefined.
 */
export async function online<T>(app: App, call: () => PromiseLike<T>): Promise<T | undefined> {
  const endWait = app.beginWait()
  try {
    return await call()
  } catch (error) {
    const at = performance.now()
    if (error instanceof ConnectionError) app.stop({ message: navigator.onLine ? t.problem.noAnswer : t.problem.offline }, at)
    else if (error instanceof APIError) refuse(app, error, at)
    else throw error
    return undefined
  } finally {
    endWait()
  }
}

function refuse(app: App, error: APIError, at: number): void {
  const interruption = interruptionOf(error)
  if (interruption?.is === 'stopped') app.set({ needs: interruption.until === 'enrolled' ? 'enrolment' : 'badge' })
  else app.stop({ message: refusalText(error), requestId: error.requestId }, at)
}

/**
 * Why the server did not do it, for the operator. To them, a response that is not the server's, and that an earlier try is still running, is
 * an answer that has not come.
 */
export const refusalText = (error: APIError): string =>
  isUnreadable(error) || isStillRunning(error) ? t.problem.noAnswer : error.message
