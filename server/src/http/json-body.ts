import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'
import { isTurnOver, nextTurn } from '../event-loop/turns.ts'
import { unsupportedMediaType } from './failures.ts'
import { JsonFailure, parseJsonInTurns } from './json-in-turns.ts'
import { excessOf } from './json-limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of a large body, which is long work to write as text again. */
    bodyHash?: string
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const JSON_TYPE = /^application\/json\s*(;|$)/i
const OTHER_TYPE = { 'content-type': 'application/octet-stream' }
/** From here on a body is read turn by turn; below it that takes a millisecond or two. */
const LARGE_BYTES = 32_768
const HASHED_AT_ONCE = 1_048_576
const BYTE_ORDER_MARK = Buffer.from('\u{FEFF}')

/** JSON is the only body the API takes; an empty body of any type is no body. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Whatever is not JSON is the same to the API. The framework would refuse a malformed type also where there is no body.
  app.addHook('onRequest', (request, _reply, done) => {
    const type = request.headers['content-type']
    if (type !== undefined && !JSON_TYPE.test(type)) request.headers = OTHER_TYPE
    done()
  })
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    return await readJson(request, body)
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined
    throw unsupportedMediaType(request)
  })
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
    if (error instanceof JsonFailure) throw new ServiceError('validation_error', `The body ${error.message}`)
    throw error
  }
}

function parseJson(body: Buffer): unknown {
  const excess = excessOf(body)
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
