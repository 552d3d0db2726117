import { type KnownKey, recordKeyUse } from '../domain/api-keys/index.ts'
import { allowListOf } from '../runtime/allow-list.ts'
import { byShard } from '../shards/by-shard.ts'
import type { Shards } from '../shards/shards.ts'
import { BriefCache } from './brief-cache.ts'
import { findKey } from './find-key.ts'

/** A key with its parsed allow-list. */
export interface CachedKey extends KnownKey {
  allows(address: string): boolean
  isExpired(): boolean
}

const USE_FLUSH_MS = 10_000

/** API keys by their value. Reading the key on every request would cost 10 to 25 % of the throughput. */
export class KeyCache {
  readonly #shards: Shards
  readonly #keys: BriefCache<CachedKey>
  /** By the key's value: ids are not unique after a tenant was moved here from another database. */
  #lastUse = new Map<string, { key: CachedKey; at: number }>()
  readonly #flush: NodeJS.Timeout
  readonly #onError: (error: unknown) => void

  constructor(shards: Shards, onError: (error: unknown) => void) {
    this.#shards = shards
    this.#onError = onError
    this.#keys = new BriefCache(async (value, startedAt) => {
      const known = await findKey(shards, value)
      return known && cachedKey(known, startedAt)
    })
    this.#flush = setInterval(() => void this.#recordUse(), USE_FLUSH_MS).unref()
  }

  /** Returns a promise only if the key must be read. */
  find(value: string): CachedKey | Promise<CachedKey | undefined> {
    const key = this.#keys.find(value)
    return key instanceof Promise ? key.then((read) => read && this.#used(value, read)) : this.#used(value, key)
  }

  /** Removes a key from the cache, such as after it was revoked. */
  forget(keyId: number): void {
    this.#keys.forget(({ caller }) => caller.keyId === keyId)
  }

  async close(): Promise<void> {
    clearInterval(this.#flush)
    await this.#recordUse()
  }

  #used(value: string, key: CachedKey): CachedKey {
    this.#lastUse.set(value, { key, at: performance.now() })
    return key
  }

  async #recordUse(): Promise<void> {
    if (this.#lastUse.size === 0) return
    const lastUse = this.#lastUse
    this.#lastUse = new Map()
    const now = performance.now()
    const uses = [...lastUse.values()].map(({ key: { caller }, at }) => ({
      tenantId: caller.tenantId,
      keyId: caller.keyId,
      msAgo: now - at,
    }))
    const ofShards = byShard(this.#shards, uses, this.#onError)
    await Promise.all([...ofShards].map(([db, own]) => recordKeyUse(db, own).catch(this.#onError)))
  }
}

function cachedKey(key: KnownKey, readAt: number): CachedKey {
  const { msLeft } = key
  return {
    ...key,
    allows: allowListOf(key.ipWhitelist),
    isExpired: () => msLeft !== undefined && performance.now() - readAt >= msLeft,
  }
}
