/** Exit code of a command interrupted by Ctrl-C: 128 plus the number of the signal. SIGTERM and SIGHUP, which end it in the same way, have the same. */
export const INTERRUPTED_EXIT_CODE = 130
/** Ctrl-C, an order to end, and the end of the terminal or of its connection. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The error of a command interrupted by a signal. Its message has already been printed. */
export class InterruptedError extends Error {}

/** The first signal aborts the signal. The second one ends the process at once, as is the default. */
export interface Interruption {
  readonly signal: AbortSignal
  stopListening(): void
}

/** Listens for the signals, and prints `message` when one comes. */
export function onInterrupt(message: string): Interruption {
  const controller = new AbortController()
  const stopListening = (): void => {
    for (const signal of SIGNALS) process.removeListener(signal, interrupt)
  }
  const interrupt = (): void => {
    // The end of a terminal can send it twice: to the shell, which passes it on, and when the shell has ended. Before the other listeners go: without
    // any, for a moment, the second one would end the process.
    process.on('SIGHUP', () => {})
    stopListening()
    process.stderr.write(`\n${message}\n`)
    controller.abort(new InterruptedError('Interrupted'))
  }
  for (const signal of SIGNALS) process.on(signal, interrupt)
  return { signal: controller.signal, stopListening }
}
