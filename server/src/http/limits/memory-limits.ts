import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import type { Guard } from '../guards.ts'
import { type ByteLimits, ByteShares, NOBODY, type Release } from './byte-shares.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a client may read nothing of a response of this route. */
    readTimeoutMs?: number
    /** Maximum memory of a stream that is sent by this route, in bytes. Default: 1 MiB. */
    streamBytes?: number
  }
}

const MIB = 1_048_576
/** Bodies and responses up to this size are not counted: a connection has at most one at a time. */
const SMALL_BYTES = 16_384
/** Maximum memory of a response that is sent in pieces. */
const STREAM_BYTES = MIB
/** The connection is closed if the client reads nothing for this long, though there is something to read. */
const READ_TIMEOUT_MS = 10_000

/** Bytes that requests hold in this process. */
export interface HeldBytes {
  /** Of bodies that are being received or processed. */
  bodies(): number
  /** Of responses that clients have not read yet. */
  responses(): number
}

const RESPONSES: ByteLimits = { perTenant: 32 * MIB, perSharing: 32 * MIB, inAll: 256 * MIB }
/** While other tenants are active, only about one of the largest bodies: receiving several as fast as they come holds up all requests. */
const bodiesOf = (bodyLimit: number): ByteLimits => ({
  perTenant: Math.max(16 * MIB, 2 * bodyLimit),
  perSharing: Math.max(5 * MIB, bodyLimit),
  inAll: Math.max(256 * MIB, 8 * bodyLimit),
})

/**
 * Limits the memory of requests, for each tenant and for the process. Large bodies wait for free memory before they are read, those without a
 * length once they turn out to be large. A tenant's requests are rejected while its clients leave too many response bytes unread. Callers without
 * a key count as one tenant. `refuse` must run after authentication.
 */
export function limitMemory(app: FastifyInstance, bodyLimit: number): { held: HeldBytes; refuse: Guard } {
  const bodies = new ByteShares(bodiesOf(bodyLimit))
  const responses = new ByteShares(RESPONSES)

  // The body is in memory until the response is sent.
  const untilSent = ({ raw }: FastifyReply, release: Release): Release => {
    if (raw.destroyed) release()
    else raw.once('close', () => release())
    return release
  }
  const admit = async ({ caller }: FastifyRequest, reply: FastifyReply, bytes: number): Promise<Release> =>
    untilSent(reply, await bodies.holdWhenFree(caller.tenantId, bytes))
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { headers, caller } = request
    if (caller === undefined) return done(null, payload)
    if (headers['transfer-encoding'] !== undefined) {
      admitUnlessSmall(payload, {
        hold: (size) => untilSent(reply, bodies.hold(caller.tenantId, size)),
        admit: () => admit(request, reply, bodyLimit),
      })
      return done(null, payload)
    }
    const bytes = Number(headers['content-length'] ?? 0)
    if (bytes <= SMALL_BYTES || bytes > bodyLimit) return done(null, payload)
    admit(request, reply, bytes).then(() => done(null, payload), done)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = bytesOf(payload, request)
    if (bytes > SMALL_BYTES && !reply.raw.destroyed) {
      reply.raw.once('close', responses.hold(request.caller?.tenantId ?? NOBODY, bytes))
      closeWhenUnread(reply, request.routeOptions.config.readTimeoutMs ?? READ_TIMEOUT_MS)
    }
    done(null, payload)
  })

  return {
    held: { bodies: () => bodies.total, responses: () => responses.total },
    refuse: (request) => responses.requireRoom(request.caller?.tenantId ?? NOBODY),
  }
}

/** The memory that the body of a response holds. */
function bytesOf(payload: unknown, request: FastifyRequest): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length
  return isStream(payload) ? (request.routeOptions.config.streamBytes ?? STREAM_BYTES) : 0
}

function closeWhenUnread({ raw }: FastifyReply, timeoutMs: number): void {
  const { socket } = raw
  // Node restarts this timeout whenever the client reads, and clears it at the end of the response.
  socket?.setTimeout(timeoutMs)
  // Without a listener, Node also closes the connection when the next piece of the response is not made in time.
  raw.on('timeout', () => {
    if (socket?.writableLength === 0) socket.setTimeout(timeoutMs)
    else socket?.destroy()
  })
}

/** What the memory of a body can be: counted, or waited for. */
interface BodyMemory {
  hold: (bytes: number) => void
  admit: () => Promise<Release>
}

/**
 * Admits a body without a length once it is no longer small: from then on it may have the maximum. When it has arrived, it keeps only its
 * size. Nearly all such bodies are small, and the maximum of one takes all of a tenant's memory.
 */
function admitUnlessSmall(payload: RequestPayload, { hold, admit }: BodyMemory): void {
  let bytes = 0
  let isAsked = false
  let hasEnded = false
  let release: Release | undefined
  const waitForMemory = async (): Promise<void> => {
    payload.pause()
    try {
      release = await admit()
      if (hasEnded) release(bytes)
      else payload.resume()
    } catch (error) {
      if (isBeingParsed(payload)) payload.emit('error', error)
    }
  }
  // A listener alone would make it flow. It waits for the one who reads it.
  payload.pause()
  payload.once('end', () => {
    hasEnded = true
    release?.(bytes)
  })
  payload.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (isAsked || bytes <= SMALL_BYTES || !isBeingParsed(payload)) return
    isAsked = true
    if (hasArrived(payload)) hold(bytes)
    else void waitForMemory()
  })
}

/** Whether this was the last chunk. Then the body ends even while it is paused, and has at most the size of the stream's buffer. */
function hasArrived(payload: RequestPayload): boolean {
  return payload.readableLength === 0 && (payload as { complete?: boolean }).complete === true
}

/** Whether the framework's parser reads the body. What it leaves is discarded, for which no memory is needed. */
function isBeingParsed(payload: RequestPayload): boolean {
  return payload.listenerCount('error') > 0
}

function isStream(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && 'pipe' in payload
}
