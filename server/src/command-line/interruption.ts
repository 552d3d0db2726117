/** Exit code of a command that Ctrl-C ended: 128 and the number of the signal. */
export const INTERRUPTED_EXIT_CODE = 130

/** What ends a command that Ctrl-C ended. The message is printed by then. */
export class InterruptedError extends Error {}

/** Aborts at the first Ctrl-C; the second ends the process at once, as it does by itself. */
export interface Interruption {
  readonly signal: AbortSignal
  stopListening(): void
}

/** Listens for Ctrl-C. `message` says what happens then. */
export function onInterrupt(message: string): Interruption {
  const controller = new AbortController()
  const interrupt = (): void => {
    process.stderr.write(`\n${message}\n`)
    controller.abort(new InterruptedError('Interrupted'))
  }
  process.once('SIGINT', interrupt)
  return { signal: controller.signal, stopListening: () => process.removeListener('SIGINT', interrupt) }
}
