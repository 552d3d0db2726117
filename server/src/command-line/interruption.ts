/** Exit code of a command interrupted by Ctrl-C: 128 plus the number of the signal. SIGTERM, which ends it in the same way, has the same. */
export const INTERRUPTED_EXIT_CODE = 130
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The error of a command interrupted by Ctrl-C or SIGTERM. Its message has already been printed. */
export class InterruptedError extends Error {}

/** The first Ctrl-C or SIGTERM aborts the signal. The second one ends the process at once, as is the default. */
export interface Interruption {
  readonly signal: AbortSignal
  stopListening(): void
}

/** Listens for Ctrl-C and SIGTERM, and prints `message` when one comes. */
export function onInterrupt(message: string): Interruption {
  const controller = new AbortController()
  const stopListening = (): void => {
    for (const signal of SIGNALS) process.removeListener(signal, interrupt)
  }
  const interrupt = (): void => {
    stopListening()
    process.stderr.write(`\n${message}\n`)
    controller.abort(new InterruptedError('Interrupted'))
  }
  for (const signal of SIGNALS) process.on(signal, interrupt)
  return { signal: controller.signal, stopListening }
}
