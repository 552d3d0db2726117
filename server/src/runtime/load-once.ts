/** Calls `load` at the first call, and again after it has failed: what is missing may be a file descriptor, for a moment. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  const forget = (error: unknown): never => {
    loaded = undefined
    throw error
  }
  return () => (loaded ??= load().catch(forget))
}
