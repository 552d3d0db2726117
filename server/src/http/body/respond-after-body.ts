import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Pace } from '../limits/pace.ts'
import { hasBody } from './body-headers.ts'

/** Limits of time and size for reading a body that is discarded. */
const LONGEST_WAIT_MS = 10_000
const MAX_BYTES = 67_108_864
/** Limit of such bodies at the same time in this process, so that reading them does not slow down other requests. */
const MAX_SENDERS = 256
/** Limit of all such bodies together in this process. A hundred bodies of 5 MB that arrive as fast as possible occupy a core for half a second. */
const BYTES_PER_SECOND = 33_554_432
const SAVED_BYTES = 1_048_576
/** The beginning of a body never waits, so that the large bodies of one caller don't delay the small ones of others. */
const UNDELAYED_BYTES = 65_536

/**
 * Delays a response that does not need the body, such as 401 or 413, until the body has arrived. Most clients read the response only after
 * they have sent the whole body, and report a broken connection if it is closed before. At the limits, the response is sent and the
 * connection closed.
 */
export function respondAfterBody(app: FastifyInstance): void {
  let senders = 0
  const pace = new Pace(BYTES_PER_SECOND, { saved: SAVED_BYTES, debt: BYTES_PER_SECOND })
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (!isArriving(raw)) return done(null, payload)
    if (senders >= MAX_SENDERS) {
      reply.header('connection', 'close')
      return done(null, payload)
    }
    senders++
    discard(raw, pace, (isComplete) => {
      senders--
      if (!isComplete) reply.header('connection', 'close')
      done(null, payload)
    })
  })
}

function isArriving(request: IncomingMessage): boolean {
  return !request.complete && !request.destroyed && hasBody(request.headers)
}

function discard(request: IncomingMessage, pace: Pace, done: (isComplete: boolean) => void): void {
  let bytes = 0
  let resumption: NodeJS.Timeout | undefined
  const count = (chunk: Buffer): void => {
    bytes += chunk.length
    pace.take(chunk.length)
    if (bytes > MAX_BYTES) end()
    else if (bytes > UNDELAYED_BYTES && !pace.isAllowed) {
      request.pause()
      resumption = setTimeout(() => request.resume(), pace.waitMs)
    }
  }
  const end = (): void => {
    clearTimeout(timeout)
    clearTimeout(resumption)
    request.off('data', count).off('end', end).off('close', end)
    done(request.complete)
  }
  const timeout = setTimeout(end, LONGEST_WAIT_MS)
  request.on('data', count).on('end', end).on('close', end).resume()
}
