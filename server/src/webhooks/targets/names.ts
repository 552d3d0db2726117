import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { HostsFile } from './hosts-file.ts'
import { LookupPlaces } from './lookup-places.ts'
import { isLocalName } from './target-rules.ts'

/** How long a name server has for an answer, and for its second one; and all of them together. */
const QUERY_TIME_LIMIT_MS = 1_500
const TRIES = 2
const TIME_LIMIT_MS = 3_000

/** How long an answer is used, or that there was none: a receiver's connections are made together. */
const KEPT_MS = 5_000
const MAX_KEPT = 1_000

interface Kept {
  addresses: Promise<string[]>
  until: number
}

/**
 * Finds the addresses of host names: in the hosts file, else at the name servers. Not by the system's resolver, which blocks one of the
 * process's four I/O threads for each name whose server does not answer: twenty of them would keep everything else waiting that needs such a
 * thread, connections to the database among it.
 */
export class Names {
  readonly #servers: readonly string[] | undefined
  readonly #hosts = new HostsFile()
  readonly #kept = new Map<string, Kept>()
  readonly #ofRequests = new LookupPlaces()
  readonly #ofDeliveries = new LookupPlaces()

  /** `servers` are asked instead of those of /etc/resolv.conf. */
  constructor(servers?: readonly string[]) {
    this.#servers = servers
  }

  /** The addresses of a name that a request names, or undefined when its tenant has too many names looked up already. */
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

  /** The addresses of a receiver's name, for a connection: waits until the tenant's turn comes. */
  async resolveInTurn(hostname: string, tenantId: number): Promise<string[]> {
    const name = normalized(hostname)
    const known = this.#known(name)
    if (known !== undefined) return await known
    await this.#ofDeliveries.take(tenantId)
    // Others may have asked for it meanwhile.
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
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    const kept: Kept = { addresses, until: Infinity }
    this.#kept.set(name, kept)
    const end = (): void => void (kept.until = performance.now() + KEPT_MS)
    addresses.then(end, end)
    return addresses
  }

  /** A new resolver each time takes the name servers as they are now, and can be given up. */
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
        const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
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

/** A name without a dot is looked for in the domains that `search` names in /etc/resolv.conf; any other as it is. */
function candidatesOf(name: string): string[] {
  return name.includes('.') ? [name] : [...searchDomains().map((domain) => `${name}.${domain}`), name]
}

function searchDomains(): string[] {
  try {
    const lines = readFileSync('/etc/resolv.conf', 'utf8').matchAll(/^(?:search|domain)[ \t]+(.*)$/gm)
    // The last such line counts.
    return [...lines].at(-1)?.[1]?.trim().split(/\s+/) ?? []
  } catch {
    return []
  }
}
