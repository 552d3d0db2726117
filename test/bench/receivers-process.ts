// A process with the receivers of a benchmark. It sends their addresses to its parent, then each arrival at a healthy receiver.
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net'

export interface Addresses {
  healthy: string
  dead: string[]
}

export interface Arrival {
  id: string
  /** Milliseconds since the epoch, with fractions. */
  at: number
}

const now = (): number => performance.timeOrigin + performance.now()

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const http = (listener: RequestListener): Promise<string> => listen(createServer(listener))

async function refusing(): Promise<string> {
  const server = createTcpServer()
  const address = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return address
}

const healthy = await http((request, response) => {
  process.send?.({ id: String(request.headers['x-webhook-id']), at: now() } satisfies Arrival)
  request.resume().on('end', () => response.end('ok'))
})
const silent = (): Promise<string> => http((request) => void request.resume())
const failing = (): Promise<string> =>
  http((request, response) => void request.resume().on('end', () => response.writeHead(500).end()))
const resetting = (): Promise<string> =>
  listen(createTcpServer((socket) => void socket.on('error', () => {}).once('data', () => socket.resetAndDestroy())))
const dripping = (): Promise<string> =>
  http((request, response) => {
    request.resume()
    const timer = setInterval(() => response.write('.'), 1_000)
    response.writeHead(200).on('close', () => clearInterval(timer))
  })

const kinds = [silent, silent, silent, refusing, refusing, failing, failing, resetting, resetting, dripping]
process.send?.({ healthy, dead: await Promise.all(kinds.map((start) => start())) } satisfies Addresses)
