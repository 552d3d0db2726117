import { APIError, ConnectionError } from '@fulfillment/sdk'
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
  else app.stop({ message: error.message, requestId: error.requestId }, at)
}
