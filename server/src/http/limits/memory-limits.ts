import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Guard } from '../guards.ts'
import { type ByteLimits, ByteShares, NOBODY } from './byte-shares.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a client may read nothing of a response of this route. */
    readTimeoutMs?: number
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
 * Limits the memory of requests, for each tenant and for the process. Bodies wait for free memory before they are read. A tenant's requests
 * are rejected while its clients leave too many response bytes unread. Callers without a key count as one tenant. `refuse` must run after
 * authentication.
 */
export function limitMemory(app: FastifyInstance, bodyLimit: number): { held: HeldBytes; refuse: Guard } {
  const bodies = new ByteShares(bodiesOf(bodyLimit))
  const responses = new ByteShares(RESPONSES)

  const admit = async (tenantId: number, reply: FastifyReply, bytes: number): Promise<void> => {
    const release = await bodies.holdWhenFree(tenantId, bytes)
    // The body is in memory until the response is sent.
    if (reply.raw.destroyed) release()
    else reply.raw.once('close', release)
  }
  app.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = announcedBytes(request, bodyLimit)
    if (request.caller === undefined || bytes <= SMALL_BYTES || bytes > bodyLimit) return done(null, payload)
    admit(request.caller.tenantId, reply, bytes).then(() => done(null, payload), done)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : isStream(payload) ? STREAM_BYTES : 0
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

/** The body's length. Without a length it may have the maximum; a request without either header has no body. */
function announcedBytes({ headers }: FastifyRequest, bodyLimit: number): number {
  if (headers['transfer-encoding'] !== undefined) return bodyLimit
  return Number(headers['content-length'] ?? 0)
}

function isStream(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && 'pipe' in payload
}
