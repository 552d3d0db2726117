import type { Database } from '../database/database.ts'
import type { Shards } from './shards.ts'

/** One object for each shard. The directory's is made at once, another shard's at its first use. Removing a shard closes its object. */
export class PerShard<T> {
  readonly #shards: Shards
  readonly #make: (db: Database) => T
  readonly #close: (one: T) => Promise<void> | void
  readonly #made = new Map<Database, T>()

  constructor(shards: Shards, make: (db: Database) => T, close: (one: T) => Promise<void> | void) {
    this.#shards = shards
    this.#make = make
    this.#close = close
    this.#made.set(shards.directory, make(shards.directory))
    shards.onRemoved((db) => this.#leave(db))
  }

  /** The object of the tenant's shard. Throws as `Shards.of` does. */
  of(tenantId: number): T {
    const db = this.#shards.of(tenantId)
    const made = this.#made.get(db)
    if (made !== undefined) return made
    const making = this.#make(db)
    this.#made.set(db, making)
    return making
  }

  /** Closes all, when the process stops. */
  async close(): Promise<void> {
    await Promise.all([...this.#made.keys()].map((db) => this.#leave(db)))
  }

  async #leave(db: Database): Promise<void> {
    const made = this.#made.get(db)
    if (made === undefined) return
    this.#made.delete(db)
    await this.#close(made)
  }
}
