import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseClientAddress } from './client-address.ts'

/** Tells whether the allow-list of an API key admits an address; an empty one admits all. */
export function allowListOf(ipWhitelist: readonly string[]): (address: string) => boolean {
  if (ipWhitelist.length === 0) return () => true
  const list = new BlockList()
  for (const entry of ipWhitelist) addTo(list, entry)
  return (given) => {
    const address = parseClientAddress(given)
    return address !== undefined && list.check(address.toString(), address.kind())
  }
}

/** Whether every address that the allow-list `inner` admits is admitted by `outer` too. */
export function isWithin(inner: readonly string[], outer: readonly string[]): boolean {
  if (outer.length === 0) return true
  const ranges = outer.map(rangeOf)
  return inner.length > 0 && inner.every((entry) => ranges.some((range) => contains(range, rangeOf(entry))))
}

/** Addresses that begin with the same bits. */
interface Range {
  address: ipaddr.IPv4 | ipaddr.IPv6
  prefix: number
}

function contains(outer: Range, inner: Range): boolean {
  if (outer.address.kind() !== inner.address.kind() || inner.prefix < outer.prefix) return false
  return inner.address.match(outer.address, outer.prefix)
}

function addTo(list: BlockList, entry: string): void {
  const { address, prefix } = rangeOf(entry)
  list.addSubnet(address.toString(), prefix, address.kind())
}

/** IPv4-mapped IPv6 entries are converted to IPv4: `::ffff:10.0.0.0/104` is `10.0.0.0/8`. */
function rangeOf(entry: string): Range {
  const [text = '', prefixText] = entry.split('/')
  const given = ipaddr.parse(text)
  const plain = ipaddr.process(text)
  const bits = isIP(text) === 4 ? 32 : 128
  const prefix = prefixText === undefined ? bits : Number(prefixText)
  if (given.kind() === plain.kind()) return { address: plain, prefix }
  return prefix >= 96 ? { address: plain, prefix: prefix - 96 } : { address: given, prefix }
}
