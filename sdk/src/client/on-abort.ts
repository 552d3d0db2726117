interface Waiting {
  callbacks: Set<() => void>
  listener: () => void
}

const waitingFor = new WeakMap<AbortSignal, Waiting>()

/**
 * Calls back when the signal aborts, at once if it already has. The returned function cancels that.
 *
 * A signal gets one listener for all calls that share it: Node 20 warns of a memory leak when a signal has more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal?.aborted) callback()
  if (!signal || signal.aborted) return () => undefined
  const { callbacks, listener } = waitingFor.get(signal) ?? listen(signal)
  callbacks.add(callback)
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return
    signal.removeEventListener('abort', listener)
    waitingFor.delete(signal)
  }
}

function listen(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>()
  const listener = () => callbacks.forEach((callback) => callback())
  const waiting = { callbacks, listener }
  waitingFor.set(signal, waiting)
  signal.addEventListener('abort', listener, { once: true })
  return waiting
}
