import { BlockList, isIPv6 } from 'node:net'

/** The public part of IPv6; every other range (loopback, ULA, link-local, multicast, mapped, NAT64, ...) is special. */
const GLOBAL_UNICAST: [prefix: string, bits: number] = ['2000::', 3]

/** The special-purpose ranges of IANA's registries, and within 2000::/3 those that are not public or embed an IPv4 address. */
const SPECIAL_RANGES: Record<'ipv4' | 'ipv6', [prefix: string, bits: number][]> = {
  ipv4: [
    ['0.0.0.0', 8], // this network
    ['10.0.0.0', 8], // private
    ['100.64.0.0', 10], // carrier-grade NAT
    ['127.0.0.0', 8], // loopback
    ['168.63.129.16', 32], // the host agent of Azure's virtual machines
    ['169.254.0.0', 16], // link-local, the metadata services of clouds
    ['172.16.0.0', 12], // private
    ['192.0.0.0', 24], // protocol assignments
    ['192.0.2.0', 24], // documentation
    ['192.31.196.0', 24], // AS112
    ['192.52.193.0', 24], // AMT
    ['192.88.99.0', 24], // 6to4 relays
    ['192.168.0.0', 16], // private
    ['192.175.48.0', 24], // AS112
    ['198.18.0.0', 15], // benchmarking
    ['198.51.100.0', 24], // documentation
    ['203.0.113.0', 24], // documentation
    ['224.0.0.0', 4], // multicast
    ['240.0.0.0', 4], // reserved, broadcast
  ],
  ipv6: [
    ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
    ['2001:db8::', 32], // documentation
    ['2002::', 16], // 6to4
    ['2620:4f:8000::', 48], // AS112
    ['3fff::', 20], // documentation
  ],
}

const special = new BlockList()
for (const [prefix, bits] of SPECIAL_RANGES.ipv4) special.addSubnet(prefix, bits, 'ipv4')
for (const [prefix, bits] of SPECIAL_RANGES.ipv6) special.addSubnet(prefix, bits, 'ipv6')
const globalUnicast = new BlockList()
globalUnicast.addSubnet(...GLOBAL_UNICAST, 'ipv6')

/** True for an address outside the public internet: private, loopback, link-local and so on. */
export function isSpecialAddress(address: string): boolean {
  if (isIPv6(address)) return !globalUnicast.check(address, 'ipv6') || special.check(address, 'ipv6')
  return special.check(address, 'ipv4')
}
