import { APIError, ConnectionError } from '@fulfillment/sdk'
import { t } from '../../shared/texts/scan-texts.ts'
import { interruptionOf } from '../queue/interruption.ts'
import type { App } from './app.ts'
import { refusalText } from './refusal-text.ts'

/**
 * Runs a call that cannot wait. Without a connection, or when it is refused, the operator is stopped with the reason; then it is undefined.
 * With `begun`, it is for the screen on which the operator began it: who has left that is not stopped, and gets no answer.
 */
export async function online<T>(app: App, call: () => PromiseLike<T>, begun = Infinity): Promise<T | undefined> {
  const endWait = app.beginWait()
  try {
    const answer = await call()
    return app.isLeft(begun) ? undefined : answer
  } catch (error) {
    if (error instanceof APIError) refuse(app, error, begun)
    else if (!(error instanceof ConnectionError)) throw error
    else if (!app.isLeft(begun))
      app.stop({ message: navigator.onLine ? t.problem.noAnswer : t.problem.offline }, performance.now())
    return undefined
  } finally {
    endWait()
  }
}

function refuse(app: App, error: APIError, begun: number): void {
  if (!leadToSignIn(app, error) && !app.isLeft(begun)) tellRefusal(app, error)
}

/** Stops the operator with why the server did not do it. */
export const tellRefusal = (app: App, error: APIError): void =>
  app.stop({ message: refusalText(error), requestId: error.requestId }, performance.now())

/** Leads the operator to where they mend that the session has ended, or that nobody is signed in. Returns false for any other error. */
export function leadToSignIn(app: App, error: APIError): boolean {
  const interruption = interruptionOf(error)
  if (interruption?.is !== 'stopped') return false
  app.set({ needs: interruption.until === 'enrolled' ? 'enrolment' : 'badge' })
  return true
}
