import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'
import { pathOf } from './url-path.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a path that matches the route belongs to it. By default each does. */
    isPath?: (path: string) => boolean
  }
}

/** The error for an unknown route. Sets the `Allow` header. */
export type Refusal = (request: FastifyRequest, reply: FastifyReply) => ServiceError

const WHERE = '; the API is under /api/v1, its reference is at /docs'

/** Distinguishes a path with other methods (405) from an unknown one (404), by the routes that are added afterwards. */
export function unknownRoute(app: FastifyInstance): Refusal {
  const patterns: { methods: string[]; segments: string[]; isPath: (path: string) => boolean }[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    // The route for preflights matches every path.
    if (url !== '*') patterns.push({ methods: [method].flat(), segments: url.split('/'), isPath: config?.isPath ?? (() => true) })
  })
  const refusal: Refusal = (request, reply) => {
    const path = pathOf(request.url)
    const segments = path.split('/')
    const ofPath = patterns.filter((pattern) => matches(pattern.segments, segments) && pattern.isPath(path))
    const methods = new Set(ofPath.flatMap((pattern) => pattern.methods))
    if (methods.size === 0)
      return new ServiceError('not_found', `No route ${request.method} ${path}${path.startsWith('/api/v1/') ? '' : WHERE}`)
    const allow = [...methods].join(', ')
    reply.header('allow', allow)
    return new ServiceError('method_not_allowed', `${request.method} is not allowed here; allowed: ${allow}`)
  }
  app.setNotFoundHandler((request, reply) => reply.send(refusal(request, reply)))
  return refusal
}

/** Rejects requests to unknown routes before their body is read. */
export function refuseBeforeBody(app: FastifyInstance, refusal: Refusal): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    done(refusal(request, reply))
  })
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    (pattern.at(-1) === '*' ? pattern.length <= segments.length : pattern.length === segments.length) &&
    pattern.every((part, index) => part === '*' || (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  )
}
