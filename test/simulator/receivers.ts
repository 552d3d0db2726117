import { createHmac } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { listen } from '../support/receiver.ts'
import type { Random } from './random.ts'

const HANGS_MS = 4_000
const LATE_MS = 1_500
/** A request with an older or newer time is to be refused by its receiver. */
const ACCEPTED_SECONDS = 300

/** The receivers of all subscriptions: each has an address of its own. */
export interface Receivers {
  urlOf(subscriber: string): string
  /** The subscriber of a URL. */
  nameOf(url: string): string
  /** The bodies that a subscriber got, by event. */
  received(subscriber: string): ReadonlyMap<string, Set<string>>
  /** The ids of events that a subscriber has acknowledged. */
  acknowledged(subscriber: string): ReadonlySet<string>
  /** What is wrong with the signatures of the requests that a subscriber got since the last look; the newest secret is the last one. */
  takeWrongSignature(subscriber: string, secrets: readonly string[], isSettled: boolean): string | undefined
  /** Whether they fail, hang and answer late at times. */
  setTroubled(isTroubled: boolean): void
  close(): Promise<void>
}

export async function startReceivers(random: Random): Promise<Receivers> {
  const bySubscriber = new Map<string, Map<string, Set<string>>>()
  const acknowledged = new Map<string, Set<string>>()
  const signatures = new Map<string, Signed[]>()
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
      signed.push({ id, body, signature: String(request.headers['x-webhook-signature']), receivedAt: Date.now() / 1_000 })
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
    takeWrongSignature: (subscriber, secrets, isSettled) => {
      const signed = signatures.get(subscriber) ?? []
      signatures.delete(subscriber)
      const wrong = signed.find((request) => !isSigned(request, secrets, isSettled))
      return wrong && `${wrong.id} has the signature ${wrong.signature}, which is not as its ${secrets.length} secrets say`
    },
    setTroubled: (next) => (isTroubled = next),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Signed {
  id: string
  body: string
  signature: string
  /** In Unix seconds. */
  receivedAt: number
}

/**
 * As the specification says: a time that a receiver accepts, and a HMAC-SHA256 of it and the body for each secret. The newest secret signs first, and
 * those that it replaced sign too, for a day. While that is not settled, some of the secrets sign.
 */
function isSigned({ body, signature, receivedAt }: Signed, secrets: readonly string[], isSettled: boolean): boolean {
  const [time, ...given] = signature.split(',').map((part) => part.slice(part.indexOf('=') + 1))
  const wanted = secrets.toReversed().map((secret) => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
  const isTimely = Math.abs(receivedAt - Number(time)) <= ACCEPTED_SECONDS
  return isTimely && given.length > 0 && (isSettled ? given.join() === wanted.join() : given.every((one) => wanted.includes(one)))
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
