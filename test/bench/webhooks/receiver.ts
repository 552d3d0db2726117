// A webhook receiver process. It responds with 200, and stores the arrival time of each event and its delay since it was recorded.
import { createServer } from 'node:http'

/** The arrivals since the last request for them. */
export interface Arrivals {
  /** Arrival times in milliseconds, by this machine's clock. */
  at: number[]
  delayMs: number[]
}

const arrivals: Arrivals = { at: [], delayMs: [] }

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const now = performance.timeOrigin + performance.now()
    const { created_at: createdAt } = JSON.parse(Buffer.concat(parts).toString()) as { created_at: string }
    arrivals.at.push(now)
    arrivals.delayMs.push(now - Date.parse(createdAt))
    response.writeHead(200, { 'content-length': 2 }).end('ok')
  })
})

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }))

process.on('message', () => {
  process.send?.(arrivals)
  arrivals.at = []
  arrivals.delayMs = []
})
