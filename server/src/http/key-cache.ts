import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { findCaller, recordKeyUse, type KnownKey } from '../api-keys/index.ts'
import type { Database } from '../database/database.ts'

/** A key as requests use it: with its allow-list ready to be asked. */
export interface CachedKey extends KnownKey {
  allows(address: string): boolean
  isExpired(): boolean
}

/** Below the second within which a revocation must take effect on every server process. */
const CACHE_MS = 800
const USE_FLUSH_MS = 10_000
const MAX_ENTRIES = 10_000

/**
 * Keys by their value, asked of the database at most once in `CACHE_MS` each: looking a key up on every request costs 10 to 25 %
 * of the throughput. Only keys that exist are kept: a new key works at once, and guesses push no key out. All times are spans of the
 * monotonic clock, as the clock of the machine may be set back.
 */
export class KeyCache {
  readonly #db: Database
  readonly #known = new LRUCache<string, CachedKey>({ max: MAX_ENTRIES, ttl: CACHE_MS })
  readonly #asked = new Map<string, Promise<CachedKey | undefined>>()
  /** By the key's value: ids of keys repeat after a tenant was moved here from another database. */
  #lastUse = new Map<string, { key: CachedKey; at: number }>()
  readonly #flush: NodeJS.Timeout
  readonly #onError: (error: unknown) => void

  constructor(db: Database, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
    this.#flush = setInterval(() => void this.#recordUse(), USE_FLUSH_MS).unref()
  }

  async find(value: string): Promise<CachedKey | undefined> {
    const key = this.#known.get(value) ?? (await (this.#asked.get(value) ?? this.#ask(value)))
    if (key !== undefined) this.#lastUse.set(value, { key, at: performance.now() })
    return key
  }

  /** Makes this process ask the database again for a key, such as after it was revoked. */
  forget(keyId: number): void {
    for (const [value, { caller }] of this.#known.entries()) if (caller.keyId === keyId) this.#known.delete(value)
    // What is under way may have been read before.
    this.#asked.clear()
  }

  async close(): Promise<void> {
    clearInterval(this.#flush)
    await this.#recordUse()
  }

  #ask(value: string): Promise<CachedKey | undefined> {
    const asked = this.#load(value, () => this.#asked.get(value) === asked)
    this.#asked.set(value, asked)
    return asked
  }

  async #load(value: string, isWanted: () => boolean): Promise<CachedKey | undefined> {
    // The age of what is read counts from before it is read.
    const start = performance.now()
    try {
      const known = await findCaller(this.#db, value)
      if (known === undefined) return undefined
      const key = cachedKey(known, start)
      if (isWanted()) this.#known.set(value, key, { start })
      return key
    } finally {
      if (isWanted()) this.#asked.delete(value)
    }
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
    await recordKeyUse(this.#db, uses).catch(this.#onError)
  }
}

function cachedKey(key: KnownKey, readAt: number): CachedKey {
  const { msLeft } = key
  return {
    ...key,
    allows: allowListOf(key),
    isExpired: () => msLeft !== undefined && performance.now() - readAt >= msLeft,
  }
}

/** Some proxies report the client as `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
const PORT_AND_BRACKETS = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

function allowListOf({ ipWhitelist }: KnownKey): (address: string) => boolean {
  if (ipWhitelist.length === 0) return () => true
  const list = new BlockList()
  for (const entry of ipWhitelist) addTo(list, entry)
  return (given) => {
    const address = given.replace(PORT_AND_BRACKETS, '$1$2')
    if (isIP(address) === 0) return false
    const plain = ipaddr.process(address)
    return list.check(plain.toString(), plain.kind())
  }
}

/** IPv4-mapped IPv6 entries stand for their IPv4 form: `::ffff:10.0.0.0/104` is `10.0.0.0/8`. */
function addTo(list: BlockList, entry: string): void {
  const [address = '', prefixText] = entry.split('/')
  const given = ipaddr.parse(address)
  const plain = ipaddr.process(address)
  const bits = isIP(address) === 4 ? 32 : 128
  const prefix = prefixText === undefined ? bits : Number(prefixText)
  if (given.kind() === plain.kind()) list.addSubnet(plain.toString(), prefix, plain.kind())
  else if (prefix >= 96) list.addSubnet(plain.toString(), prefix - 96, 'ipv4')
  else list.addSubnet(given.toString(), prefix, 'ipv6')
}
