import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { WebhookTargetPolicy } from './policy.ts'
import { isSpecialAddress } from './special-addresses.ts'

/**
 * The name resolution of a tenant's connections. If only public addresses are allowed, it refuses a name with any special address. The
 * connection uses exactly the checked addresses.
 */
export function lookupFor(tenantId: number, { names, allowPrivateNetwork }: WebhookTargetPolicy): LookupFunction {
  const lookup = callbackify(async (hostname: string) => {
    const addresses = await names.resolveInTurn(hostname, tenantId)
    if (!allowPrivateNetwork && addresses.some(isSpecialAddress)) throw new Error(`${hostname} resolves to a special address`)
    return addresses.map((address): LookupAddress => ({ address, family: isIP(address) }))
  })
  return (hostname, { all }, callback) => {
    lookup(hostname, (error, addresses) => {
      if (error !== null) callback(error, '')
      else if (all === true) callback(null, addresses)
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
    })
  }
}
