import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from './failed-request.ts'
import { printLine } from './progress.ts'

/** Long enough for a server to start. */
const PATIENCE_MS = 10_000
const SILENCE_MS = 800
const PAUSE_MS = 500

/**
 * Resolves when the URL returns any response. Prints what it waits for within a second, and gives up after ten seconds. Rejects with the
 * signal's reason when the signal aborts.
 */
export async function untilReachable(url: string, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const either = AbortSignal.any([signal, patience])
  const note = setTimeout(
    () => printLine(`Waiting for ${url} to respond. --url or FULFILLMENT_URL names another server`),
    SILENCE_MS,
  )
  let reason = 'no response'
  try {
    for (;;) {
      try {
        const response = await fetch(new URL('/healthz', url), { redirect: 'manual', signal: either })
        await response.body?.cancel()
        return
      } catch (error) {
        if (speaksNoTls(error)) throw new Error(`--url: ${url} does not use TLS. Name it with http://`, { cause: error })
        if (!either.aborted) reason = reasonOf(error)
      }
      await sleep(PAUSE_MS, undefined, { signal: either }).catch(() => {})
      signal.throwIfAborted()
      if (patience.aborted) throw new Error(unreachable(url, reason))
    }
  } finally {
    clearTimeout(note)
  }
}

/** Another protocol where TLS was expected. Waiting changes nothing. */
function speaksNoTls(error: unknown): boolean {
  return (error as { cause?: { code?: string } }).cause?.code === 'ERR_SSL_WRONG_VERSION_NUMBER'
}

function unreachable(url: string, reason: string): string {
  const seconds = PATIENCE_MS / 1_000
  return `--url: ${url} did not respond within ${seconds} seconds (${reason}). Start the server, or name another one with --url or FULFILLMENT_URL`
}
