import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors/service-error.ts'
import { hasBody, isJsonType } from '../body/body-headers.ts'
import { pathOf } from '../url-path.ts'
import { setPageHeaders } from './page-headers.ts'
import { sendPageNotice } from './page-notice.ts'
import { type PageOrigin, pageOriginOf } from './page-origin.ts'
import type { PageRequest } from './page-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for requests of the pages. */
    pageOrigin?: PageOrigin
  }
}

const WRONG_HOST = 'Set PUBLIC_URL to the address that people use'

/**
 * Admits only requests from pages of this server to page paths. The `Host` must be correct, and a request for data must have properties
 * that no page of another origin can give it. Responses have no CORS headers, and every preflight fails.
 */
export function guardPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageRequest,
  publicUrl: string | undefined,
  done: (error?: Error) => void,
): void {
  if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined)
    return done(new ServiceError('not_found', `No route OPTIONS ${pathOf(request.originalUrl)}`))
  const origin = pageOriginOf(request, publicUrl)
  setPageHeaders(reply, origin)
  if (origin === undefined) return refuseHost(request, reply, done)
  request.pageOrigin = origin
  done(page.kind === 'data' ? refusalOf(request, page, origin) : undefined)
}

function refuseHost(request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void {
  const refusal = new ServiceError('origin_not_allowed', WRONG_HOST)
  if (!sendPageNotice(request, reply, refusal)) done(refusal)
}

function refusalOf({ method, raw: { headers } }: FastifyRequest, page: PageRequest, { origin }: PageOrigin): Error | undefined {
  if (headers['x-page'] !== page.app) return refused(`X-Page must be ${page.app}`)
  const site = headers['sec-fetch-site']
  if (site === undefined) {
    if (headers.origin === undefined ? method !== 'GET' : headers.origin !== origin) return refused(`Origin must be ${origin}`)
  } else if (site !== 'same-origin') return refused('Sec-Fetch-Site must be same-origin')
  if (hasBody(headers) && !isJsonType(headers['content-type'] ?? '')) return refused('Content-Type must be application/json')
  return undefined
}

function refused(reason: string): ServiceError {
  return new ServiceError('origin_not_allowed', `Only pages of this server may send this request: ${reason}`)
}
