import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'

/** The failure of a request that no route is for; sets the `Allow` header. */
export type Refusal = (request: FastifyRequest, reply: FastifyReply) => ServiceError

/** Tells a path that exists with other methods (405) from one that does not exist (404), by the routes that are added after this. */
export function unknownRoute(app: FastifyInstance): Refusal {
  const patterns: { methods: string[]; segments: string[] }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    // That of preflights is no path of its own.
    if (url !== '*') patterns.push({ methods: [method].flat(), segments: url.split('/') })
  })
  const refusal: Refusal = (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const segments = path.split('/')
    const methods = new Set(patterns.flatMap((pattern) => (matches(pattern.segments, segments) ? pattern.methods : [])))
    if (methods.size === 0) return new ServiceError('not_found', `No route ${request.method} ${path}`)
    const allow = [...methods].join(', ')
    reply.header('allow', allow)
    return new ServiceError('method_not_allowed', `${request.method} is not allowed here; allowed: ${allow}`)
  }
  app.setNotFoundHandler((request, reply) => reply.send(refusal(request, reply)))
  return refusal
}

/** Refuses such requests before their body is looked at: whatever is wrong with it, there is nothing to send it to. */
export function refuseBeforeBody(app: FastifyInstance, refusal: Refusal): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    done(refusal(request, reply))
  })
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  )
}
