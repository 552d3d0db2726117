import { createHmac } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { listen } from '../support/receiver.ts'
import type { Random } from './random.ts'

const HANGS_MS = 4_000
const LATE_MS = 1_500

/** The receivers of all subscriptions: each has an address of its own. */
export interface Receivers {
  urlOf(subscriber: string): string
  /** The subscriber of a URL. */
  nameOf(url: string): string
  /** The bodies that a subscriber got, by event. */
  received(subscriber: string): ReadonlyMap<string, Set<string>>
  /** The ids of events that a subscriber has acknowledged. */
  acknowledged(subscriber: string): ReadonlySet<string>
  /** The ids of events of which a subscriber got a request, since the last look, without a signature by one of the secrets. */
  takeUnsigned(subscriber: string, secrets: readonly string[]): string[]
  /** Whether they fail, hang and answer late at times. */
  setTroubled(isTroubled: boolean): void
  close(): Promise<void>
}

export async function startReceivers(random: Random): Promise<Receivers> {
  const bySubscriber = new Map<string, Map<string, Set<string>>>()
  const acknowledged = new Map<string, Set<string>>()
  const signatures = new Map<string, { id: string; body: string; signature: string }[]>()
  let isTroubled = true

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const subscriber = (request.url ?? '').slice(1)
      const body = Buffer.concat(chunks).toString()
      const { id } = JSON.parse(body) as { id: string }
      const bodies = bySubscriber.get(subscriber) ?? new Map<string, Set<string>>()
      bySubscriber.set(subscriber, bodies)
      bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
      const signed = signatures.get(subscriber) ?? []
      signatures.set(subscriber, signed)
      signed.push({ id, body, signature: String(request.headers['x-webhook-signature']) })
      const done = acknowledged.get(subscriber) ?? new Set()
      acknowledged.set(subscriber, done)
      answer(response, isTroubled ? random.next() : 1, () => done.add(id))
    })
  })
  const url = await listen(server)
  return {
    urlOf: (subscriber) => `${url}/${subscriber}`,
    nameOf: (given) => given.slice(url.length + 1),
    received: (subscriber) => bySubscriber.get(subscriber) ?? new Map(),
    acknowledged: (subscriber) => acknowledged.get(subscriber) ?? new Set(),
    takeUnsigned: (subscriber, secrets) => {
      const signed = signatures.get(subscriber) ?? []
      signatures.delete(subscriber)
      return signed
        .filter(({ body, signature }) => !secrets.some((secret) => isSigned(body, signature, secret)))
        .map(({ id }) => id)
    },
    setTroubled: (next) => (isTroubled = next),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** As the specification says: the HMAC-SHA256 of the time and the body, one `v1` for each secret. */
function isSigned(body: string, signature: string, secret: string): boolean {
  const [time, ...given] = signature.split(',').map((part) => part.slice(part.indexOf('=') + 1))
  return given.includes(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
}

function answer(response: ServerResponse, trouble: number, acknowledge: () => void): void {
  if (trouble < 0.04) return void response.writeHead(500).end()
  if (trouble < 0.05) return void setTimeout(() => response.destroy(), HANGS_MS)
  const end = (text: string): void => {
    acknowledge()
    response.end(text)
  }
  if (trouble < 0.1) setTimeout(() => end('late'), LATE_MS)
  else end('ok')
}
