import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { findCaller, recordKeyUse, type KnownKey } from '../api-keys/index.ts'
import type { Database } from '../database/database.ts'

/** A key as requests use it: with its allow-list ready to be asked. */
export interface CachedKey extends KnownKey {
  allows(address: string): boolean
}

interface Entry {
  key: Promise<CachedKey | undefined>
  until: number
}

/** Below the second within which a revocation must take effect on every server process. */
const CACHE_MS = 800
const USE_FLUSH_MS = 10_000
const MAX_ENTRIES = 10_000

/**
 * Keys by their value, asked of the database at most once in `CACHE_MS` each: looking a key up on every request costs 10 to 25 %
 * of the throughput.
 */
export class KeyCache {
  readonly #db: Database
  readonly #entries = new Map<string, Entry>()
  #lastUse = new Map<number, Date>()
  readonly #flush: NodeJS.Timeout
  readonly #onError: (error: unknown) => void

  constructor(db: Database, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
    this.#flush = setInterval(() => void this.#recordUse(), USE_FLUSH_MS).unref()
  }

  async find(value: string): Promise<CachedKey | undefined> {
    const now = Date.now()
    let entry = this.#entries.get(value)
    if (entry === undefined || entry.until <= now) {
      entry = this.#load(value, now)
    }
    const key = await entry.key
    if (key !== undefined) this.#lastUse.set(key.caller.keyId, new Date(now))
    return key
  }

  /** Makes this process ask the database again for every key, such as after a revocation. */
  clear(): void {
    this.#entries.clear()
  }

  async close(): Promise<void> {
    clearInterval(this.#flush)
    await this.#recordUse()
  }

  #load(value: string, now: number): Entry {
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear()
    const entry: Entry = { key: findCaller(this.#db, value).then((key) => key && withAllowList(key)), until: now + CACHE_MS }
    this.#entries.set(value, entry)
    const forget = (): void => {
      if (this.#entries.get(value) === entry) this.#entries.delete(value)
    }
    // Only keys that exist are kept: a new key works at once, and guesses take no memory.
    entry.key.then((key) => key ?? forget(), forget)
    return entry
  }

  async #recordUse(): Promise<void> {
    if (this.#lastUse.size === 0) return
    const lastUse = this.#lastUse
    this.#lastUse = new Map()
    await recordKeyUse(this.#db, lastUse).catch(this.#onError)
  }
}

/** Some proxies report the client as `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
const PORT_AND_BRACKETS = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

function withAllowList(key: KnownKey): CachedKey {
  if (key.ipWhitelist.length === 0) return { ...key, allows: () => true }
  const list = new BlockList()
  for (const entry of key.ipWhitelist) addTo(list, entry)
  return {
    ...key,
    allows: (given) => {
      const address = given.replace(PORT_AND_BRACKETS, '$1$2')
      if (isIP(address) === 0) return false
      const plain = ipaddr.process(address)
      return list.check(plain.toString(), plain.kind())
    },
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
