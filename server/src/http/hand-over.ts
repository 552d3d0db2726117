import { Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** A busy client sends its next request within this time. */
const LONGEST_MS = 5_000
const POLL_MS = 20

/**
 * Stops accepting connections and waits until open ones have ended. Other processes on the port accept new connections. Each open
 * connection is closed with the response to its next request, because closing it earlier would fail requests that are on their way. Returns
 * early when `signal` aborts.
 */
export async function handOverConnections({ server }: FastifyInstance, signal: AbortSignal): Promise<void> {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  // The method of http.Server would also close idle connections.
  Server.prototype.close.call(server)
  const deadline = performance.now() + LONGEST_MS
  while (!signal.aborted && performance.now() < deadline && (await connectionsOf(server)) > 0) await delay(POLL_MS)
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
}
