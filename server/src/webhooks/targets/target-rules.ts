import { isIP } from 'node:net'
import type { WebhookTargetPolicy } from '../../context.ts'
import { isSpecialAddress } from './special-addresses.ts'

/**
 * Says what is wrong with a receiver's URL, or undefined when it may be called. A host name's addresses are not looked at. Credentials
 * in the URL are refused always: they would be stored and shown in the clear.
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

/** The IP address that a URL's host is, in whichever notation it was written: parsing the URL has brought it into the usual one. */
export function literalAddress(hostname: string): string | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(host) === 0 ? undefined : host
}

/** True for the names that mean the machine itself, whatever a name server says. */
export function isLocalName(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$/.test(hostname)
}
