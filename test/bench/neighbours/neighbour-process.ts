// The neighbour process, with its receiver. It makes calls at a low and constant rate. Each call starts at its due time, even if earlier
// calls are still in progress, and its delay counts from that time: a stall counts for all calls that were due during it.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { CALLS, STREAMS, type NeighbourCall, type Stock, type Stream } from './neighbour-calls.ts'

/** The phases of a measurement: before the attack, during it, immediately after it, and after a pause. */
export type Phase = 'warm-up' | 'alone' | 'beside' | 'recovering' | 'after'

export interface NeighbourStart {
  port: number
  /** Enough keys to stay below the rate limit of each. */
  keys: string[]
  stock: Stock
  withWebhooks: boolean
}

export type NeighbourOrder = { start: NeighbourStart } | { phase: Phase } | 'finish'

/** The result of a call that was due in a phase. */
export interface Observation {
  phase: Phase
  call: Stream | 'webhook'
  ms: number
  failure?: string
}

/** The rate of a stream. A key may make 600 requests a minute; with two keys per stream, each stays below this limit. */
const CALLS_PER_SECOND = 16
const CONNECTIONS = 512
const RESPONSE_LIMIT_MS = 30_000
const ARRIVAL_LIMIT_MS = 10_000

const observations: Observation[] = []
const created = new Map<string, { phase: Phase; at: number }>()
const arrivals = new Map<string, number>()
const underWay = new Set<Promise<void>>()
let phase: Phase = 'warm-up'
const end = new AbortController()
let withWebhooks = false

const receiver = createServer((request, response) => void receive(request).finally(() => response.writeHead(204).end()))
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
process.send?.({ receiver: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook` })

process.on('message', (order: NeighbourOrder) => {
  if (order === 'finish') void finish().then(() => process.send?.(observations))
  else if ('phase' in order) phase = order.phase
  else start(order.start)
})

async function receive(request: IncomingMessage): Promise<void> {
  const at = performance.now()
  const { data } = JSON.parse(await text(request)) as { data: { order_tenant_id: string } }
  arrivals.set(data.order_tenant_id, at)
}

function start(settings: NeighbourStart): void {
  withWebhooks = settings.withWebhooks
  const pool = new Pool(`http://127.0.0.1:${settings.port}`, {
    connections: CONNECTIONS,
    headersTimeout: RESPONSE_LIMIT_MS,
    bodyTimeout: RESPONSE_LIMIT_MS,
  })
  for (const [index, stream] of STREAMS.entries()) void runStream(pool, settings, stream, index)
}

async function runStream(pool: Pool, { keys, stock }: NeighbourStart, stream: Stream, index: number): Promise<void> {
  const started = performance.now() + (index * 1_000) / CALLS_PER_SECOND / STREAMS.length
  const calls = CALLS[stream]
  for (let count = 0; !end.signal.aborted; count++) {
    const due = started + (count * 1_000) / CALLS_PER_SECOND
    await delay(Math.max(0, due - performance.now()))
    const call = calls[count % calls.length]?.(stock, count) as NeighbourCall
    // Each stream has its own keys.
    const ofStream = keys.length / STREAMS.length
    const made = carryOut(pool, keys[index * ofStream + (count % ofStream)] as string, call, stream, due)
    underWay.add(made)
    void made.then(() => underWay.delete(made))
  }
}

async function carryOut(pool: Pool, key: string, call: NeighbourCall, stream: Stream, due: number): Promise<void> {
  const observed = { phase, call: stream }
  const failure = await failureOf(pool, key, call)
  const at = performance.now()
  observations.push({ ...observed, ms: at - due, ...(failure === undefined ? {} : { failure }) })
  if (failure === undefined && call.creates !== undefined) created.set(call.creates, { phase: observed.phase, at })
}

async function failureOf(
  pool: Pool,
  key: string,
  { method, path, body, idempotencyKey }: NeighbourCall,
): Promise<string | undefined> {
  try {
    const response = await pool.request({
      method,
      path: `/api/v1${path}`,
      headers: {
        'x-api-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await response.body.dump({ limit: Infinity })
    return response.statusCode < 300 ? undefined : String(response.statusCode)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'no response'
  }
}

/** Waits for calls in progress and, for a limited time, for webhooks. */
async function finish(): Promise<void> {
  end.abort()
  const deadline = performance.now() + ARRIVAL_LIMIT_MS
  await Promise.race([Promise.all(underWay), delay(ARRIVAL_LIMIT_MS)])
  const isMissing = (): boolean => withWebhooks && [...created.keys()].some((id) => !arrivals.has(id))
  while (isMissing() && performance.now() < deadline) await delay(100)
  const now = performance.now()
  for (const [id, { phase: made, at }] of withWebhooks ? created : []) {
    const arrived = arrivals.get(id)
    const ms = Math.max(0, (arrived ?? now) - at)
    observations.push({ phase: made, call: 'webhook', ms, ...(arrived === undefined && { failure: 'not arrived' }) })
  }
}
