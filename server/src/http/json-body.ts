import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'
import { unsupportedMediaType } from './failures.ts'
import { excessOf } from './json-limits.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })
const JSON_TYPE = /^application\/json\s*(;|$)/i
const OTHER_TYPE = { 'content-type': 'application/octet-stream' }

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
    if (body.length === 0) return undefined
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') throw unsupportedMediaType(request)
    return parseJson(body)
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined
    throw unsupportedMediaType(request)
  })
}

/** For bodies that another parser reads: refuses what would take long to check. */
export async function refuseExcess(request: FastifyRequest): Promise<void> {
  if (typeof request.body === 'string') checkSize(Buffer.from(request.body))
}

function checkSize(body: Buffer): void {
  const excess = excessOf(body)
  if (excess !== undefined) throw new ServiceError('validation_error', `The body ${excess}`)
}

function parseJson(body: Buffer): unknown {
  checkSize(body)
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
