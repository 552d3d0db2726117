// The load generator, a separate process. It shares the machine with the measured server, so it does as little as possible: plain sockets,
// one request at a time on each, and it reads only the status and the length of a response.
import { createHistogram } from 'node:perf_hooks'
import net from 'node:net'
import { makeRequest, type RequestPlan } from './requests.ts'

/** The load to generate, sent by the parent process. */
export interface Load {
  port: number
  apiKey: string
  connections: number
  seconds: number
  plan: RequestPlan
}

/** The result, sent to the parent process. */
export interface LoadResult {
  requests: number
  seconds: number
  medianMs: number
  p99Ms: number
  failed: number
  /** The first response that was not a success. */
  failure: string | undefined
  /** Processor time of the generator itself. */
  cpuSeconds: number
}

const HEADER_END = '\r\n\r\n'

process.on('message', (load: Load) => {
  void generate(load).then((result) => process.send?.(result))
})

async function generate(load: Load): Promise<LoadResult> {
  const tally = { requests: 0, failed: 0, failure: undefined as string | undefined, latency: createHistogram() }
  const cpu = process.cpuUsage()
  const started = performance.now()
  const end = started + load.seconds * 1_000
  await Promise.all(Array.from({ length: load.connections }, () => connection(load, end, tally)))
  const seconds = (performance.now() - started) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  return {
    requests: tally.requests,
    seconds,
    medianMs: tally.latency.percentile(50) / 1e6,
    p99Ms: tally.latency.percentile(99) / 1e6,
    failed: tally.failed,
    failure: tally.failure,
    cpuSeconds: (user + system) / 1e6,
  }
}

interface Tally {
  requests: number
  failed: number
  failure: string | undefined
  latency: ReturnType<typeof createHistogram>
}

function connection(load: Load, end: number, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port: load.port, host: '127.0.0.1', noDelay: true })
    let sentAt = 0
    let missing = 0
    const send = (): void => {
      sentAt = performance.now()
      if (sentAt >= end) socket.end(resolve)
      else socket.write(serialise(load))
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (chunk: Buffer) => {
      missing = missing > 0 ? missing - chunk.length : beginResponse(chunk, tally)
      if (missing > 0) return
      tally.requests++
      tally.latency.record(Math.max(1, Math.round((performance.now() - sentAt) * 1e6)))
      send()
    })
  })
}

/**
 * Returns the number of bytes of the response that are still to come. The head is always in the first chunk, because the server writes it
 * at once.
 */
function beginResponse(chunk: Buffer, tally: Tally): number {
  const headLength = chunk.indexOf(HEADER_END) + HEADER_END.length
  const head = chunk.toString('latin1', 0, headLength)
  if (head[9] !== '2') {
    tally.failed++
    tally.failure ??= chunk.toString()
  }
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`a response without Content-Length: ${head}`)
  return headLength + Number(length) - chunk.length
}

function serialise({ apiKey, plan }: Load): string {
  const { method, path, body, idempotencyKey } = makeRequest(plan)
  const key = idempotencyKey === undefined ? '' : `idempotency-key: ${idempotencyKey}\r\n`
  const head = `${method} /api/v1${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${apiKey}\r\n${key}`
  if (body === undefined) return head + '\r\n'
  const text = JSON.stringify(body)
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}
