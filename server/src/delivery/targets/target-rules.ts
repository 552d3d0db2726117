import { isIP } from 'node:net'
import type { WebhookTargetPolicy } from './policy.ts'
import { isSpecialAddress } from './special-addresses.ts'

/**
 * The problem of a receiver's URL, or undefined when it is allowed. A host name is not resolved. Credentials in the URL are always refused:
 * they would be stored and shown in plain text.
 */
export function targetProblem(url: string, { allowPrivateNetwork, requireHttps }: WebhookTargetPolicy): string | undefined {
  if (!URL.canParse(url)) return 'must be an absolute http or https URL'
  const { protocol, hostname, port, username, password } = new URL(url)
  if (protocol !== 'https:' && (requireHttps || protocol !== 'http:'))
    return requireHttps ? 'must be an https URL' : 'must be an http or https URL'
  if (username !== '' || password !== '') return 'must not contain a user name or password'
  if (allowPrivateNetwork) return undefined
  if (port !== '' && port !== '80' && port !== '443' && Number(port) < 1024) return 'must have port 80, 443, or one from 1024'
  const address = literalAddress(hostname)
  const isSpecial = address === undefined ? isLocalName(hostname) : isSpecialAddress(address)
  return isSpecial ? SPECIAL_ADDRESS_PROBLEM : undefined
}

export const SPECIAL_ADDRESS_PROBLEM = 'must not be in a private network or have another special address'

/** The IP address of a URL's host; undefined for a name. URL parsing has normalised all notations of an address. */
export function literalAddress(hostname: string): string | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(host) === 0 ? undefined : host
}

/** True for names that always mean this machine, regardless of name servers. */
export function isLocalName(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$/.test(hostname)
}
