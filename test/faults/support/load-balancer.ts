import { once } from 'node:events'
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const LOSES_EVERY = 5

/** A load balancer in front of several API servers. */
export interface LoadBalancer {
  url: string
  /** Number of responses by each server. */
  readonly responses: readonly number[]
  close(): Promise<void>
}

/**
 * Starts a balancer that sends requests to the servers in turn. It has no health checks and no retries: when a server fails, it closes the
 * caller's connection. It also drops every fifth response to a request with an `Idempotency-Key` and closes the connection: the call was
 * executed, but its caller does not know this and repeats it.
 */
export async function startLoadBalancer(serverUrls: readonly string[]): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true })
  const responses = serverUrls.map(() => 0)
  let next = 0
  let keyed = 0

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const turn = next++ % serverUrls.length
    const { method, headers, url = '/' } = incoming
    const giveUp = (): void => void outgoing.destroy()
    const forwarded = request(new URL(url, serverUrls[turn]), { method, headers, agent }, (response) => {
      responses[turn] = (responses[turn] ?? 0) + 1
      if (headers['idempotency-key'] !== undefined && ++keyed % LOSES_EVERY === 0) return giveUp()
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.on('error', giveUp)
      response.pipe(outgoing)
    })
    forwarded.on('error', giveUp)
    incoming.pipe(forwarded)
  }

  const server = createServer(forward)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    responses,
    close: async () => {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}
