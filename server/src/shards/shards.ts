import type { Database } from '../database/database.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { MovedTenant } from './shard-map.ts'

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

/** What calls of a tenant wait for while it is switched to another shard. */
interface Switch {
  readonly over: Promise<void>
  end(): void
}

/**
 * The databases of the service. The id of a tenant tells its shard, unless the tenant was moved, so finding it takes no query. The shard noted for a
 * moved tenant can be out of date: its former shard then refuses the call. With one database, all tenants are in it, whatever their ids.
 */
export class Shards {
  readonly directory: Database
  /** By the number of their range of ids. */
  readonly #others = new Map<number, MappedShard>()
  /** The shards of tenants and sandboxes that were moved. */
  #places = new Map<number, number>()
  readonly #switches = new Map<number, Switch>()
  readonly #afterRemoval: ((db: Database) => Promise<void>)[] = []
  #refresh: () => Promise<void> = async () => {}

  constructor(directory: Database) {
    this.directory = directory
  }

  /** The database of a tenant. Throws `service_unavailable` when it was not reached since the start. */
  of(tenantId: number): Database {
    const db = this.reached(tenantId)
    if (db === undefined) throw shardUnavailable()
    return db
  }

  /** The database of a tenant, for work that nobody waits for. Undefined when it was not reached since the start. */
  reached(tenantId: number): Database | undefined {
    if (this.#others.size === 0) return this.directory
    const place = this.#places.get(tenantId)
    if (place === DIRECTORY) return this.directory
    const shard = place === undefined ? this.#others.get(rangeOf(tenantId)) : this.#withId(place)
    if (shard === undefined && place === undefined) return this.directory
    return shard?.db
  }

  /** Whether the tenant is in this database, as far as this process knows. A tenant that is being moved has rows in two. */
  isIn(tenantId: number, db: Database): boolean {
    if (this.#others.size === 0) return true
    const place = this.#places.get(tenantId) ?? this.#others.get(rangeOf(tenantId))?.id ?? DIRECTORY
    return (place === DIRECTORY ? this.directory : this.#withId(place)?.db) === db
  }

  /** Whether there are other databases than the directory. */
  get areSeveral(): boolean {
    return this.#others.size > 0
  }

  /** Whether a tenant is being moved. */
  get isMoving(): boolean {
    return this.#isMoving
  }
  #isMoving = false

  /** Resolves when the tenant is no longer being switched to another shard. Undefined when it is not. */
  switched(tenantId: number): Promise<void> | undefined {
    return this.#switches.size === 0 ? undefined : this.#switches.get(tenantId)?.over
  }

  /** Notes where moved tenants are, and which of them are being switched. */
  place(moved: readonly MovedTenant[]): void {
    const ofTenant = moved.flatMap(({ id, sandbox_id, shard_id, state }) =>
      [id, sandbox_id].map((tenant) => ({ tenant, shard_id, state })),
    )
    this.#places = new Map(ofTenant.map(({ tenant, shard_id }) => [tenant, shard_id]))
    this.#isMoving = moved.some(({ state }) => state !== 'settled')
    const switching = new Set(ofTenant.filter(({ state }) => state === 'switching').map(({ tenant }) => tenant))
    for (const tenant of switching) if (!this.#switches.has(tenant)) this.#switches.set(tenant, newSwitch())
    for (const [tenant, { end }] of this.#switches) {
      if (switching.has(tenant)) continue
      this.#switches.delete(tenant)
      end()
    }
  }

  /** Reads the map again. Does nothing in a process that does not follow it. */
  refresh(): Promise<void> {
    return this.#refresh()
  }

  set refresher(refresh: () => Promise<void>) {
    this.#refresh = refresh
  }

  #withId(id: number): MappedShard | undefined {
    for (const shard of this.#others.values()) if (shard.id === id) return shard
    return undefined
  }

  /** All shards, the directory first. */
  get all(): readonly (Shard | MappedShard)[] {
    return [{ id: DIRECTORY, db: this.directory }, ...this.#others.values()]
  }

  put(shard: MappedShard): void {
    this.#others.set(rangeOf(shard.firstTenantId), shard)
  }

  /** Resolves when nothing uses the database any more that was made for it, so that it can be closed. */
  async remove({ firstTenantId }: Pick<MappedShard, 'firstTenantId'>): Promise<void> {
    const range = rangeOf(firstTenantId)
    const db = this.#others.get(range)?.db
    this.#others.delete(range)
    if (db !== undefined) await Promise.all(this.#afterRemoval.map((work) => work(db)))
  }

  /** Adds work that follows the removal of a shard. */
  onRemoved(work: (db: Database) => Promise<void>): void {
    this.#afterRemoval.push(work)
  }
}

const rangeOf = (tenantId: number): number => Math.floor(tenantId / TENANTS_OF_SHARD)

function newSwitch(): Switch {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { over: promise, end: resolve }
}

function shardUnavailable(): ServiceError {
  return new ServiceError('service_unavailable', 'The database of this tenant cannot be reached', { retryAfterSeconds: 1 })
}
