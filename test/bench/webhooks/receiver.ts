// A receiver of webhooks, a process of its own: answers 200 and keeps when each event arrived, and how long after it was recorded.
import { createServer } from 'node:http'

/** What arrived since the last time that was asked. */
export interface Arrivals {
  /** Milliseconds of this machine's clock. */
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
