import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ByteShares, NOBODY } from './byte-shares.ts'

const MIB = 1_048_576
/** Bodies and answers up to this size are not counted: a connection has one of them at a time. */
const SMALL_BYTES = 16_384
/** What an answer that is sent in pieces has in memory, at most. */
const STREAM_BYTES = MIB
/** A reader that takes nothing for this long is cut off. */
const LONGEST_STANDSTILL_MS = 10_000

/** Bytes that requests hold in this process. */
export interface HeldBytes {
  /** Of bodies that arrive or are worked on. */
  bodies(): number
  /** Of answers that their readers have not taken yet. */
  answers(): number
}

/** What a tenant may hold at the same time, and a process before tenants get less. */
const ANSWERS = { perTenant: 32 * MIB, inAll: 256 * MIB }
const bodiesOf = (bodyLimit: number) => ({
  perTenant: Math.max(16 * MIB, 2 * bodyLimit),
  inAll: Math.max(256 * MIB, 8 * bodyLimit),
})

/**
 * Bounds what requests hold in memory, by tenant and for the process. Bodies wait for room before they are read, and the tenant's requests
 * are refused while too much of its answers is not taken. Callers without a key count as one tenant. `refuse` belongs behind
 * authentication.
 */
export function limitMemory(
  app: FastifyInstance,
  bodyLimit: number,
): { held: HeldBytes; refuse: (request: FastifyRequest) => Promise<void> } {
  const bodies = new ByteShares(bodiesOf(bodyLimit))
  const answers = new ByteShares(ANSWERS)

  const admit = async (tenantId: number, reply: FastifyReply, bytes: number): Promise<void> => {
    const release = await bodies.holdWhenFree(tenantId, bytes)
    // The body is in memory for as long as it is worked on.
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
      reply.raw.once('close', answers.hold(request.caller?.tenantId ?? NOBODY, bytes))
      // Node starts this time anew whenever the reader takes something, and ends it with the answer.
      request.raw.socket.setTimeout(LONGEST_STANDSTILL_MS)
    }
    done(null, payload)
  })

  return {
    held: { bodies: () => bodies.total, answers: () => answers.total },
    refuse: async (request) => answers.requireRoom(request.caller?.tenantId ?? NOBODY),
  }
}

/** A body that does not say its length may be as large as is allowed; a request that announces none has none. */
function announcedBytes({ headers }: FastifyRequest, bodyLimit: number): number {
  if (headers['transfer-encoding'] !== undefined) return bodyLimit
  return Number(headers['content-length'] ?? 0)
}

function isStream(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && 'pipe' in payload
}
