import { once } from 'node:events'
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const LOSES_EVERY = 5

/** Stands before several API servers. */
export interface LoadBalancer {
  url: string
  /** How many requests each server has answered. */
  readonly answered: readonly number[]
  close(): Promise<void>
}

/**
 * Starts a balancer that hands requests to the servers in turn. It knows nothing of their health and repeats nothing: when a server
 * breaks off or is not there, the caller's connection is closed. So it is instead of every fifth answer to a request with an
 * `Idempotency-Key`, whose caller will repeat it and does not know that it was carried out.
 */
export async function startLoadBalancer(serverUrls: readonly string[]): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true })
  const answered = serverUrls.map(() => 0)
  let next = 0
  let keyed = 0

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const turn = next++ % serverUrls.length
    const { method, headers, url = '/' } = incoming
    const giveUp = (): void => void outgoing.destroy()
    const forwarded = request(new URL(url, serverUrls[turn]), { method, headers, agent }, (answer) => {
      answered[turn] = (answered[turn] ?? 0) + 1
      if (headers['idempotency-key'] !== undefined && ++keyed % LOSES_EVERY === 0) return giveUp()
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', giveUp)
      answer.pipe(outgoing)
    })
    forwarded.on('error', giveUp)
    incoming.pipe(forwarded)
  }

  const server = createServer(forward)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    close: async () => {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}
