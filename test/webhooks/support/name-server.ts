import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4, isIPv6 } from 'node:net'

/** A real DNS server on 127.0.0.1. */
export interface NameServer {
  /** Address in the format of `WEBHOOK_DNS_SERVERS`. */
  address: string
  /** The queries received so far, such as `A receiver.example`. */
  asked: string[]
  close(): void
}

const TYPES: Record<number, string> = { 1: 'A', 28: 'AAAA' }
const HEADER_BYTES = 12

/** Starts a name server that responds with the addresses from `addressesOf`. If they are undefined, it does not respond. */
export async function startNameServer(addressesOf: (name: string) => string[] | undefined): Promise<NameServer> {
  const asked: string[] = []
  const socket = createSocket('udp4', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    asked.push(`${TYPES[type]} ${name}`)
    const addresses = addressesOf(name)
    if (addresses === undefined) return
    const data = addresses.filter(type === 1 ? isIPv4 : isIPv6).map(bytesOf)
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, data.length, 0, 0, 0, 0])
    const answers = data.map((bytes) => Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 1, 0, bytes.length, ...bytes]))
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function bytesOf(address: string): number[] {
  if (isIPv4(address)) return address.split('.').map(Number)
  const [before = '', after = ''] = address.split('::')
  const groups = (text: string): string[] => text.split(':').filter((group) => group !== '')
  const missing = 8 - groups(before).length - groups(after).length
  const all = [...groups(before), ...Array.from({ length: address.includes('::') ? missing : 0 }, () => '0'), ...groups(after)]
  return all.map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 255])
}
