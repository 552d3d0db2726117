import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Bounds how long, and for how much, a client is heard that sends a body which nobody wants. */
const LONGEST_WAIT_MS = 10_000
const MOST_BYTES = 67_108_864
/** At the same time, in this process: to read what nobody wants must not keep it from what it is there for. */
const MOST_SENDERS = 256

/**
 * Holds back an answer that does not need the body, such as 401 or 413, until the body has arrived. Most clients send all of it before they
 * look for an answer, and when the connection is closed meanwhile they report that it broke instead. One that does not come to an end gets
 * its answer and is cut off.
 */
export function answerAfterBody(app: FastifyInstance): void {
  let senders = 0
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (!isArriving(raw)) return done(null, payload)
    if (senders >= MOST_SENDERS) {
      reply.header('connection', 'close')
      return done(null, payload)
    }
    senders++
    passOver(raw, (isComplete) => {
      senders--
      if (!isComplete) reply.header('connection', 'close')
      done(null, payload)
    })
  })
}

/** Whether a request announced a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function isArriving(request: IncomingMessage): boolean {
  return !request.complete && !request.destroyed && hasBody(request)
}

function passOver(request: IncomingMessage, done: (isComplete: boolean) => void): void {
  let bytes = 0
  const count = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > MOST_BYTES) end()
  }
  const end = (): void => {
    clearTimeout(timeout)
    request.off('data', count).off('end', end).off('close', end)
    done(request.complete)
  }
  const timeout = setTimeout(end, LONGEST_WAIT_MS)
  request.on('data', count).on('end', end).on('close', end).resume()
}
