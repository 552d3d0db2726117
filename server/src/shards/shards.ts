import type { Database } from '../database/database.ts'
import { ServiceError } from '../procedures/errors.ts'

/** The shard of the database that `DATABASE_URL` names. It has the map of all others. */
export const DIRECTORY = 1
/** An id of a tenant that is in the directory in any case. */
export const DIRECTORY_TENANT = 0
/** Number of tenant ids of a shard. The ids stay below 2^31, because advisory locks take them as integers. */
export const TENANTS_OF_SHARD = 1_000_000

/** A database that holds tenants. */
export interface Shard {
  readonly id: number
  readonly db: Database
}

/** A shard of the map. It has no database while it cannot be reached since the start of this process. */
export interface MappedShard {
  readonly id: number
  readonly firstTenantId: number
  readonly db: Database | undefined
}

/**
 * The databases of the service. The id of a tenant tells its shard, so finding it takes no query, and nothing is kept that could be out of
 * date. With one database, all tenants are in it, whatever their ids.
 */
export class Shards {
  readonly directory: Database
  /** By the number of their range of ids. */
  readonly #others = new Map<number, MappedShard>()

  constructor(directory: Database) {
    this.directory = directory
  }

  /** The database of a tenant. Throws `service_unavailable` when it was not reached since the start. */
  of(tenantId: number): Database {
    if (this.#others.size === 0) return this.directory
    const shard = this.#others.get(rangeOf(tenantId))
    if (shard === undefined) return this.directory
    if (shard.db === undefined) throw shardUnavailable()
    return shard.db
  }

  /** All shards, the directory first. */
  get all(): readonly (Shard | MappedShard)[] {
    return [{ id: DIRECTORY, db: this.directory }, ...this.#others.values()]
  }

  put(shard: MappedShard): void {
    this.#others.set(rangeOf(shard.firstTenantId), shard)
  }

  remove({ firstTenantId }: Pick<MappedShard, 'firstTenantId'>): void {
    this.#others.delete(rangeOf(firstTenantId))
  }
}

const rangeOf = (tenantId: number): number => Math.floor(tenantId / TENANTS_OF_SHARD)

function shardUnavailable(): ServiceError {
  return new ServiceError('service_unavailable', 'The database of this tenant cannot be reached', { retryAfterSeconds: 1 })
}
