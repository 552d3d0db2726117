import type { Database } from '../database/database.ts'
import type { Shards } from './shards.ts'

/** An object for each shard: that of the directory is made at once, that of another shard with its first use. */
export class PerShard<T> {
  readonly #shards: Shards
  readonly #make: (db: Database) => T
  readonly #made = new Map<Database, T>()

  constructor(shards: Shards, make: (db: Database) => T) {
    this.#shards = shards
    this.#make = make
    this.#made.set(shards.directory, make(shards.directory))
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

  get made(): readonly T[] {
    return [...this.#made.values()]
  }
}
