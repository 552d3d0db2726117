import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { isSpecialAddress } from './special-addresses.ts'

/** The name resolution of a connection, done by `resolve`: refuses a name of which any address is special. */
export function publicAddressesOnly(resolve: (hostname: string) => Promise<string[]> = resolveByDns): LookupFunction {
  const lookup = callbackify(async (hostname: string) => requirePublic(hostname, await resolve(hostname)))
  return (hostname, { all }, callback) => {
    lookup(hostname, (error, addresses) => {
      if (error !== null) callback(error, '')
      else if (all === true) callback(null, addresses)
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
    })
  }
}

function requirePublic(hostname: string, addresses: string[]): LookupAddress[] {
  if (addresses.length === 0) throw new Error(`${hostname} has no address`)
  if (addresses.some(isSpecialAddress)) throw new Error(`${hostname} leads to a special address`)
  return addresses.map((address) => ({ address, family: isIP(address) }))
}

// Not the system's resolver: that one blocks one of the process's four I/O threads for each name whose server does not answer, so that
// a few dead domains would stop the whole service.
const dns = new Resolver({ timeout: 2_000, tries: 2 })

async function resolveByDns(hostname: string): Promise<string[]> {
  const [v4, v6] = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)])
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
  return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
