import type { Database } from '../database/database.ts'
import type { Encryption } from '../runtime/encryption/encryption.ts'
import { repeat } from '../runtime/periodic.ts'
import { within } from '../runtime/within.ts'
import { openShard } from './open-shard.ts'
import { readMovedTenants, readShardMap, requireRange, type ShardRow, urlOf } from './shard-map.ts'
import { DIRECTORY, type Shard, type Shards } from './shards.ts'

/** A process serves a new shard this long after it was added. */
export const READ_MAP_EVERY_MS = 2_000
/** While a tenant is being moved. */
export const READ_MAP_WHILE_MOVING_MS = 100
/** What cannot be used is tried again after this time. Less than the one above, so that no look comes just before it. */
const TRY_AGAIN_MS = 1_500
/** A switch takes a second or two, or its command has died. */
const SWITCH_TAKES_AT_MOST_MS = 4_000
/** A start waits this long for shards that cannot be reached. */
const PATIENCE_MS = 3_000

export interface FollowOptions {
  encryption: Encryption
  log: { info(line: string): void; warn(details: object, message: string): void }
  /** Whether the process uses the shard. */
  uses(id: number): boolean
  /** Brings the schema of a shard up to date, before anything else uses it. */
  prepare(db: Database): Promise<void>
  /** Ends the switch of a tenant that takes too long, unless its command lives. */
  endDeadSwitch(tenantId: number): Promise<void>
  /** Starts the background work for a shard. */
  start(shard: Shard): { stop(): Promise<unknown> }
}

/** A shard of the map that this process has opened. */
interface Followed {
  row: ShardRow
  db: Database
  preparing: Promise<void> | undefined
  /** When preparing it began last. */
  triedAtMs: number
  work: { stop(): Promise<unknown> } | undefined
}

/**
 * Keeps the shards of a process like the map in the directory: opens new ones, prepares them and starts their background work, and closes
 * those that were removed. A shard that cannot be reached is tried again every two seconds. While the directory cannot be read, all
 * stays as it is. Resolves when the present shards were tried.
 */
export async function followShards(shards: Shards, options: FollowOptions): Promise<{ stop(): Promise<void> }> {
  const follower = new Follower(shards, options)
  await follower.readMap()
  await within(PATIENCE_MS, follower.settled(), () => {})
  // An unreadable map is no news: requests to the directory say that it is lost.
  const reading = repeat(
    () => (shards.isMoving ? READ_MAP_WHILE_MOVING_MS : READ_MAP_EVERY_MS),
    () => follower.readMap(),
    () => {},
    READ_MAP_EVERY_MS,
  )
  return {
    stop: async () => {
      await reading.stop()
      await follower.close()
    },
  }
}

class Follower {
  readonly #shards: Shards
  readonly #options: FollowOptions
  readonly #followed = new Map<number, Followed>()
  /** When shards could not be opened, by their id. */
  readonly #failedAtMs = new Map<number, number>()
  readonly #leaving = new Set<Promise<void>>()
  readonly #switchingSince = new Map<number, number>()
  #ending: Promise<void> | undefined
  #reading: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(shards: Shards, options: FollowOptions) {
    this.#shards = shards
    this.#options = options
    shards.refresher = () => this.readMap()
  }

  /** A call that comes while the map is read waits for the next read. */
  readMap(): Promise<void> {
    this.#next ??= (this.#reading ?? Promise.resolve()).then(() => {
      this.#next = undefined
      const reading = this.#readMap().finally(() => {
        if (this.#reading === settled) this.#reading = undefined
      })
      const settled = reading.catch(() => {})
      this.#reading = settled
      return reading
    })
    return this.#next
  }

  async #readMap(): Promise<void> {
    const rows = await readShardMap(this.#shards.directory)
    // With one database, nothing is asked besides.
    const moved = rows.length === 0 ? [] : await readMovedTenants(this.#shards.directory)
    this.#update(rows)
    this.#shards.place(moved)
    this.#watchSwitches(moved.filter(({ state }) => state === 'switching').map(({ id }) => id))
  }

  /** Ends the switches of dead commands, one at a time. */
  #watchSwitches(switching: readonly number[]): void {
    const now = performance.now()
    for (const id of this.#switchingSince.keys()) if (!switching.includes(id)) this.#switchingSince.delete(id)
    for (const id of switching) if (!this.#switchingSince.has(id)) this.#switchingSince.set(id, now)
    const late = switching.find((id) => now - (this.#switchingSince.get(id) ?? now) > SWITCH_TAKES_AT_MOST_MS)
    if (late === undefined || this.#ending !== undefined) return
    const { log, endDeadSwitch } = this.#options
    this.#switchingSince.set(late, now)
    this.#ending = endDeadSwitch(late)
      .catch((error: unknown) => log.warn({ err: error, tenant: late }, 'the switch of a tenant could not be ended'))
      .finally(() => (this.#ending = undefined))
  }

  #update(rows: readonly ShardRow[]): void {
    const others = rows.filter(({ id }) => id !== DIRECTORY && this.#options.uses(id))
    const kept = new Set(others.map(({ id }) => id))
    for (const gone of this.#followed.values()) {
      if (kept.has(gone.row.id)) continue
      const leaving: Promise<void> = this.#leave(gone)
        .catch((error: unknown) => this.#options.log.warn({ err: error, shard: gone.row.id }, 'a shard was not closed'))
        .finally(() => this.#leaving.delete(leaving))
      this.#leaving.add(leaving)
    }
    for (const id of this.#failedAtMs.keys()) if (!kept.has(id)) this.#failedAtMs.delete(id)
    for (const row of others) {
      const followed = this.#followed.get(row.id) ?? this.#open(row, others.length)
      if (followed !== undefined && followed.work === undefined && isToBeTried(followed.triedAtMs))
        followed.preparing ??= this.#prepare(followed)
    }
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#followed.values()].flatMap(({ preparing }) => (preparing === undefined ? [] : [preparing])))
  }

  async close(): Promise<void> {
    await Promise.all([...[...this.#followed.values()].map((followed) => this.#leave(followed)), ...this.#leaving, this.#ending])
  }

  #open(row: ShardRow, count: number): Followed | undefined {
    if (!isToBeTried(this.#failedAtMs.get(row.id))) return undefined
    const { encryption, log } = this.#options
    this.#shards.put({ id: row.id, firstTenantId: row.first_tenant_id, db: undefined })
    try {
      const db = openShard(urlOf(row, encryption), count, (error) => log.info(`Shard ${row.id}: ${error.message}`))
      const followed = { row, db, preparing: undefined, triedAtMs: -Infinity, work: undefined }
      this.#followed.set(row.id, followed)
      this.#failedAtMs.delete(row.id)
      return followed
    } catch (error) {
      this.#failedAtMs.set(row.id, performance.now())
      log.warn({ err: error, shard: row.id }, 'a shard cannot be opened; it will be tried again')
      return undefined
    }
  }

  async #prepare(followed: Followed): Promise<void> {
    const { row, db } = followed
    const { prepare, start, log } = this.#options
    followed.triedAtMs = performance.now()
    try {
      await requireRange(db, row)
      await prepare(db)
      if (this.#followed.get(row.id) !== followed) return
      this.#shards.put({ id: row.id, firstTenantId: row.first_tenant_id, db })
      followed.work = start({ id: row.id, db })
    } catch (error) {
      log.warn({ err: error, shard: row.id }, 'a shard cannot be used; it will be tried again')
    } finally {
      followed.preparing = undefined
    }
  }

  async #leave(followed: Followed): Promise<void> {
    const { row, db } = followed
    this.#followed.delete(row.id)
    await Promise.all([this.#shards.remove({ firstTenantId: row.first_tenant_id }), followed.work?.stop()])
    await db.close()
    await followed.preparing
  }
}

/** Not with each look at the map: there are ten a second while a tenant is being moved. */
function isToBeTried(triedAtMs = -Infinity): boolean {
  return performance.now() - triedAtMs >= TRY_AGAIN_MS
}
