// The neighbour, a process of its own, with its receiver. It makes light and steady calls, each at its due time whether or not those
// before it were answered, and counts an answer's delay from then on: a stall counts for all calls that were due in it.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { CALLS, STREAMS, type NeighbourCall, type Stock, type Stream } from './neighbour-calls.ts'

/** Of an attack's measurement: before it, during it, right after it and after a pause. */
export type Phase = 'warm-up' | 'alone' | 'beside' | 'recovering' | 'after'

export interface NeighbourStart {
  port: number
  /** As many as it needs to stay below the limit of each. */
  keys: string[]
  stock: Stock
  withWebhooks: boolean
}

export type NeighbourOrder = { start: NeighbourStart } | { phase: Phase } | 'finish'

/** What became of the calls that were due in a phase. */
export interface Observation {
  phase: Phase
  call: Stream | 'webhook'
  ms: number
  failure?: string
}

/** A key may make 600 requests a minute; two keys a stream stay below it. */
const CALLS_PER_SECOND = 16
const CONNECTIONS = 512
const ANSWER_LIMIT_MS = 30_000
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
    headersTimeout: ANSWER_LIMIT_MS,
    bodyTimeout: ANSWER_LIMIT_MS,
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
    // Each stream uses keys of its own.
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
    const answer = await pool.request({
      method,
      path: `/api/v1${path}`,
      headers: {
        'x-api-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await answer.body.dump({ limit: Infinity })
    return answer.statusCode < 300 ? undefined : String(answer.statusCode)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'no answer'
  }
}

/** Waits for what is under way and, not for ever, for webhooks. */
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
