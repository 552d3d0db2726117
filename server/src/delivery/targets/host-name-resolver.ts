import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import { HostsFile } from './hosts-file.ts'
import { LookupSlots } from './lookup-slots.ts'
import type { NameLookup } from './policy.ts'
import { isLocalName } from './target-rules.ts'

/** Time limit of a query, number of tries, and time limit of the whole lookup. */
const QUERY_TIME_LIMIT_MS = 1_500
const TRIES = 2
const TIME_LIMIT_MS = 3_000

/** How long a result, or a failure, is cached: the connections to a receiver are opened together. */
const KEPT_MS = 5_000
const MAX_KEPT = 1_000

interface Kept {
  addresses: Promise<string[]>
  until: number
}

/**
 * Resolves host names from the hosts file, then from the name servers. The system's resolver is not used: it blocks one of the process's
 * four I/O threads for each name whose server does not respond. Twenty such names would hold up all other work of these threads, such as
 * opening database connections.
 */
export class HostNameResolver implements NameLookup {
  readonly #servers: readonly string[] | undefined
  readonly #hosts = new HostsFile()
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_KEPT })
  readonly #ofRequests = new LookupSlots()
  readonly #ofDeliveries = new LookupSlots()

  /** `servers` replace those of /etc/resolv.conf. */
  constructor(servers?: readonly string[]) {
    this.#servers = servers
  }

  /** The addresses of a name in an API request, or undefined when the tenant has too many lookups in progress. */
  resolveAtOnce(hostname: string, tenantId: number): Promise<string[]> | undefined {
    const name = normalized(hostname)
    const known = this.#known(name)
    if (known !== undefined) return known
    if (!this.#ofRequests.tryTake(tenantId)) return undefined
    return this.#keep(
      name,
      this.#lookUp(name).finally(() => this.#ofRequests.release(tenantId)),
    )
  }

  /** The addresses of a receiver's name, for a connection. Waits for the tenant's turn. */
  async resolveInTurn(hostname: string, tenantId: number): Promise<string[]> {
    const name = normalized(hostname)
    const known = this.#known(name)
    if (known !== undefined) return await known
    await this.#ofDeliveries.take(tenantId)
    // The name may have been resolved while waiting.
    const addresses = (this.#known(name) ?? this.#keep(name, this.#lookUp(name))).finally(() =>
      this.#ofDeliveries.release(tenantId),
    )
    return await addresses
  }

  #known(name: string): Promise<string[]> | undefined {
    const named = this.#hosts.addressesOf(name) ?? (isLocalName(name) ? ['127.0.0.1', '::1'] : undefined)
    if (named !== undefined) return Promise.resolve(named)
    const kept = this.#kept.get(name)
    return kept !== undefined && performance.now() < kept.until ? kept.addresses : undefined
  }

  #keep(name: string, addresses: Promise<string[]>): Promise<string[]> {
    const kept: Kept = { addresses, until: Infinity }
    this.#kept.set(name, kept)
    const end = (): void => void (kept.until = performance.now() + KEPT_MS)
    addresses.then(end, end)
    return addresses
  }

  /** A new resolver each time: it reads the current name servers and can be cancelled. */
  async #lookUp(name: string): Promise<string[]> {
    const resolver = new Resolver({ timeout: QUERY_TIME_LIMIT_MS, tries: TRIES })
    if (this.#servers !== undefined) resolver.setServers(this.#servers)
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
      resolver.cancel()
    }, TIME_LIMIT_MS)
    try {
      let failure: unknown
      for (const candidate of candidatesOf(name)) {
        const [v4, v6] = await Promise.allSettled([resolver.resolve4(candidate), resolver.resolve6(candidate)])
        const addresses = [v4, v6].flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
        if (addresses.length > 0) return addresses
        if (v4.status === 'rejected') failure = v4.reason
        if (isOver) break
      }
      throw failure ?? new Error(`${name} has no address`)
    } finally {
      clearTimeout(timer)
    }
  }
}

const normalized = (hostname: string): string => hostname.toLowerCase().replace(/\.$/, '')

/** A name without a dot is tried in the `search` domains of /etc/resolv.conf; any other name as it is. */
function candidatesOf(name: string): string[] {
  return name.includes('.') ? [name] : [...searchDomains().map((domain) => `${name}.${domain}`), name]
}

function searchDomains(): string[] {
  try {
    const lines = readFileSync('/etc/resolv.conf', 'utf8').matchAll(/^(?:search|domain)[ \t]+(.*)$/gm)
    // The last line takes effect.
    return [...lines].at(-1)?.[1]?.trim().split(/\s+/) ?? []
  } catch {
    return []
  }
}
