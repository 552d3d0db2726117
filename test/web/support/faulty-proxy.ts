import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/**
 * What the proxy does with a request: passes it on, drops the response after the server has done it, breaks the connection before, swallows it
 * without a sign, or responds itself with this status, as a gateway does.
 */
export type Fault = 'none' | 'lost after' | 'lost before' | 'swallowed' | { status: number; headers: Record<string, string> }

export interface FaultyProxy {
  url: string
  /** Decides on each request. */
  fault: (method: string, path: string) => Fault
  /** Requests that reached the server, as `POST /scan/api/v1/flows/1/picks`. */
  passed: string[]
  close(): Promise<void>
}

/** A network between a browser and the server, which loses what the test says. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((incoming, outgoing) => pass(proxy, target, incoming, outgoing))
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: () => 'none',
    passed: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
  return proxy
}

function pass(proxy: FaultyProxy, target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = incoming
  const fault = proxy.fault(method, url)
  if (fault === 'lost before') {
    incoming.socket.destroy()
    return
  }
  if (fault === 'swallowed') {
    incoming.resume()
    return
  }
  if (typeof fault === 'object') {
    outgoing.writeHead(fault.status, { 'content-type': 'text/html', ...fault.headers }).end('<h1>Try again later</h1>')
    return
  }
  proxy.passed.push(`${method} ${url}`)
  // The host stays: it is what the browser shows, and what the server compares with the origin.
  const upstream = request(new URL(url, target), { method, headers }, (response) => {
    if (fault === 'lost after') {
      response.resume().on('end', () => incoming.socket.destroy())
      return
    }
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(outgoing)
  })
  upstream.on('error', () => incoming.socket.destroy())
  incoming.pipe(upstream)
}
