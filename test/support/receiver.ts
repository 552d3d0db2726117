import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** A request as received. */
export interface Received {
  headers: IncomingHttpHeaders
  body: string
  event: { id: string; event: string; created_at: string; data: Record<string, unknown> }
  at: number
  response: ServerResponse
}

/** How a receiver handles a request. */
export type Behaviour = (request: Received, response: ServerResponse, incoming: IncomingMessage) => void | Promise<void>

/** A real HTTP server on 127.0.0.1 that stores the requests it receives. */
export interface Receiver {
  url: string
  received: Received[]
  /** The highest number of concurrent requests so far. */
  peak: number
  behave(behaviour: Behaviour): void
  /** Waits until `count` requests have arrived. */
  count(count: number): Promise<Received[]>
  close(): Promise<void>
}

export const respondWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (_request, response) => {
    response.writeHead(status, headers).end(body)
  }

export const acknowledge = respondWith(200, {}, 'ok')

export async function startReceiver(behaviour: Behaviour = acknowledge): Promise<Receiver> {
  let current = behaviour
  let inFlight = 0
  const received: Received[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    inFlight += 1
    receiver.peak = Math.max(receiver.peak, inFlight)
    response.on('close', () => (inFlight -= 1))
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const request = { headers: incoming.headers, body, event: JSON.parse(body), at: Date.now(), response }
      received.push(request)
      void current(request, response, incoming)
    })
  })
  const url = `${await listen(server)}/hook?source=test`
  const receiver: Receiver = {
    url,
    received,
    peak: 0,
    behave: (next) => (current = next),
    count: async (count) => {
      await until(() => received.length >= count, `${count} requests; ${received.length} have arrived`)
      return received
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

/** Starts a server on a free port of 127.0.0.1 and returns its origin. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The origin of a port on which nothing listens. */
export async function closedPort(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`
}

/** Waits until `condition` holds. The time limit is long: it is meant for hangs, not for slowness. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string),
  timeoutMs = 60_000,
): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms in vain for ${typeof what === 'string' ? what : what()}`)
    await delay(5)
  }
}
