import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors/service-error.ts'
import { isTurnOver, nextTurn } from '../../runtime/event-loop/turns.ts'
import { unsupportedMediaType } from '../failures.ts'
import { type RequestScheduler, startRequest } from '../limits/request-scheduler.ts'
import { isJsonType } from './body-headers.ts'
import { JsonError, parseJsonInTurns } from './json-in-turns.ts'
import { jsonLimitExceeded } from './json-limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of a large body: serialising the parsed body again would take long. */
    bodyHash?: string
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const OTHER_TYPE = { 'content-type': 'application/octet-stream' }
/** Bodies from this size are parsed in turns. Smaller ones take a millisecond or two. */
const LARGE_BYTES = 32_768
const HASHED_AT_ONCE = 1_048_576
const BYTE_ORDER_MARK = Buffer.from('\u{FEFF}')

/** JSON is the only accepted body. An empty body of any type counts as no body. */
export function acceptJsonBodies(app: FastifyInstance, scheduler: RequestScheduler): void {
  app.removeAllContentTypeParsers()
  // All other types are treated alike. The framework would reject a malformed type even without a body.
  app.addHook('onRequest', (request, _reply, done) => {
    const type = request.headers['content-type']
    if (type !== undefined && !isJsonType(type)) request.headers = OTHER_TYPE
    done()
  })
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const waits = startWithBody(request, scheduler, body)
    if (waits !== undefined) await waits
    return await readJson(request, body)
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined
    throw unsupportedMediaType(request)
  })
}

/** Starts the request as one with a body of this size. Without a promise it has started. */
export function startWithBody(request: FastifyRequest, scheduler: RequestScheduler, body: Buffer): Promise<void> | undefined {
  return startRequest(request, scheduler, body.length > LARGE_BYTES ? body.length : 0)
}

/** The value of a body. Throws `validation_error`, `unsupported_media_type`. */
export async function readJson(request: FastifyRequest, body: Buffer): Promise<unknown> {
  if (body.length === 0) return undefined
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') throw unsupportedMediaType(request)
  if (body.length <= LARGE_BYTES) return parseJson(body)
  request.bodyHash = await hashInTurns(body)
  return await parseLargeJson(body)
}

async function hashInTurns(body: Buffer): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < body.length; at += HASHED_AT_ONCE) {
    if (isTurnOver()) await nextTurn()
    hash.update(body.subarray(at, at + HASHED_AT_ONCE))
  }
  return hash.digest('hex')
}

async function parseLargeJson(body: Buffer): Promise<unknown> {
  const hasMark = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  try {
    return await parseJsonInTurns(hasMark ? body.subarray(BYTE_ORDER_MARK.length) : body)
  } catch (error) {
    if (error instanceof JsonError) throw new ServiceError('validation_error', `The body ${error.message}`)
    throw error
  }
}

function parseJson(body: Buffer): unknown {
  const excess = jsonLimitExceeded(body)
  if (excess !== undefined) throw new ServiceError('validation_error', `The body ${excess}`)
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    throw new ServiceError('validation_error', 'The body is not valid UTF-8')
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ServiceError('validation_error', `The body is not valid JSON: ${(error as SyntaxError).message}`)
  }
}
