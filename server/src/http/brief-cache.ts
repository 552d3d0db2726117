import { LRUCache } from 'lru-cache'

/** By default less than the second within which a revocation must take effect on every server process. */
const CACHE_MS = 800
const MAX_ENTRIES = 10_000

/** Reads the value of a name. `startedAt` is the time before the read, by the monotonic clock. */
type Read<Value> = (name: string, startedAt: number) => Promise<Value | undefined>

/**
 * Values of the database, read at most once per `cacheMs`. Only existing values are cached, so a new one is found immediately and guesses
 * evict none. All times are measured by the monotonic clock, because the machine's clock may be set back.
 */
export class BriefCache<Value extends object> {
  readonly #read: Read<Value>
  readonly #known: LRUCache<string, Value>
  readonly #reads = new Map<string, Promise<Value | undefined>>()

  constructor(read: Read<Value>, cacheMs = CACHE_MS) {
    this.#read = read
    this.#known = new LRUCache({ max: MAX_ENTRIES, ttl: cacheMs })
  }

  /** Returns a promise only if the value must be read. */
  find(name: string): Value | Promise<Value | undefined> {
    return this.#known.get(name) ?? this.#reads.get(name) ?? this.#begin(name)
  }

  /** Reads the value again. */
  async refresh(name: string): Promise<Value | undefined> {
    this.#known.delete(name)
    return await this.#begin(name)
  }

  /** Removes the values that match. */
  forget(matches: (value: Value) => boolean): void {
    for (const [name, value] of this.#known.entries()) if (matches(value)) this.#known.delete(name)
    // A read in progress may have started before the value changed.
    this.#reads.clear()
  }

  #begin(name: string): Promise<Value | undefined> {
    const read = this.#load(name, () => this.#reads.get(name) === read)
    this.#reads.set(name, read)
    return read
  }

  async #load(name: string, isWanted: () => boolean): Promise<Value | undefined> {
    // The age counts from before the read.
    const start = performance.now()
    try {
      const value = await this.#read(name, start)
      if (value !== undefined && isWanted()) this.#known.set(name, value, { start })
      return value
    } finally {
      if (isWanted()) this.#reads.delete(name)
    }
  }
}
