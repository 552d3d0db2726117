import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Some proxies report the client as `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
const PORT_AND_BRACKETS = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/
/** A customer of a provider gets this much of an IPv6 address, and has all the addresses that begin with it. */
const IPV6_NETWORK_BITS = 64

/** The address of a client, without what proxies add. IPv4-mapped IPv6 addresses are IPv4 addresses. Undefined for what is no address. */
export function parseClientAddress(given: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = given.replace(PORT_AND_BRACKETS, '$1$2')
  return isIP(address) === 0 ? undefined : ipaddr.process(address)
}

/** Whom a limit per address counts: the IPv4 address, or the /64 of the IPv6 address. */
export function networkOf(given: string): string {
  const address = parseClientAddress(given)
  if (address === undefined) return given
  if (address.kind() === 'ipv4') return address.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_NETWORK_BITS}`).toString()
}
