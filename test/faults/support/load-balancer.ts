import { once } from 'node:events'
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands before several API servers. */
export interface LoadBalancer {
  url: string
  /** How many requests each server has answered. */
  readonly answered: readonly number[]
  close(): Promise<void>
}

/**
 * Starts a balancer that hands requests to the servers in turn. It knows nothing of their health and repeats nothing: when a server
 * breaks off or is not there, the caller's connection is closed, as that of a caller who knows not what became of a request.
 */
export async function startLoadBalancer(serverUrls: readonly string[]): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true })
  const answered = serverUrls.map(() => 0)
  let next = 0

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const turn = next++ % serverUrls.length
    const { method, headers, url = '/' } = incoming
    const giveUp = (): unknown => outgoing.destroy()
    const forwarded = request(new URL(url, serverUrls[turn]), { method, headers, agent }, (answer) => {
      answered[turn] = (answered[turn] ?? 0) + 1
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
