/** Exit code of a command interrupted by Ctrl-C: 128 plus the number of the signal. */
export const INTERRUPTED_EXIT_CODE = 130

/** The error of a command interrupted by Ctrl-C. Its message has already been printed. */
export class InterruptedError extends Error {}

/** The first Ctrl-C aborts the signal. The second one ends the process at once, as is the default. */
export interface Interruption {
  readonly signal: AbortSignal
  stopListening(): void
}

/** Listens for Ctrl-C, and prints `message` when it is pressed. */
export function onInterrupt(message: string): Interruption {
  const controller = new AbortController()
  const interrupt = (): void => {
    process.stderr.write(`\n${message}\n`)
    controller.abort(new InterruptedError('Interrupted'))
  }
  process.once('SIGINT', interrupt)
  return { signal: controller.signal, stopListening: () => process.removeListener('SIGINT', interrupt) }
}
