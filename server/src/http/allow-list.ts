import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Some proxies report the client as `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
const PORT_AND_BRACKETS = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

/** Tells whether the allow-list of an API key admits an address; an empty one admits all. */
export function allowListOf(ipWhitelist: readonly string[]): (address: string) => boolean {
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

/** IPv4-mapped IPv6 entries are converted to IPv4: `::ffff:10.0.0.0/104` is `10.0.0.0/8`. */
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
