import { APIError, ConnectionError, isNoSession, waitOf } from '../../shared/api.ts'
import { isStillRunning, isUnreadable } from '../../shared/is-unanswered.ts'
import { pause } from '../data/pause.ts'
import { whenSignedIn } from '../data/session.tsx'

/** Waits after no response, one after the other; the last one again and again. */
const NO_RESPONSE_WAITS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/**
 * Makes a call until it has a verdict: waits as long as a busy server asks, for the connection, for a gateway that is up again, and for a
 * sign-in over the screen. Every attempt must be the same request. `onWait` gets the time of the next attempt.
 */
export async function sendPatiently<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  onWait: (until: number | undefined) => void,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      if (isNoSession(error)) await whenSignedIn()
      else await wait(waitAfter(error, failures), signal, onWait)
    }
  }
}

async function wait(ms: number, signal: AbortSignal, onWait: (until: number | undefined) => void): Promise<void> {
  onWait(Date.now() + ms)
  await pause(ms, signal)
  signal.throwIfAborted()
  onWait(undefined)
}

/** How long to wait. Throws an error that waiting does not mend. */
function waitAfter(error: unknown, failures: number): number {
  const asked = waitOf(error)
  if (asked !== undefined) return asked
  const isPassing = error instanceof ConnectionError || (error instanceof APIError && isOfNetwork(error))
  if (!isPassing && !isStillRunning(error)) throw error
  return NO_RESPONSE_WAITS_MS[Math.min(failures, NO_RESPONSE_WAITS_MS.length - 1)] ?? 0
}

/** Whether something between this browser and the server has responded. That a request is too large for it does not pass. */
const isOfNetwork = (error: APIError): boolean =>
  [408, 502, 504].includes(error.status) || (isUnreadable(error) && error.status !== 413)
