import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'

/** Tells a path that exists with other methods (405) from one that does not exist (404). */
export function unknownRoute(routes: readonly { method: string; path: string }[]) {
  const patterns = routes.map(({ method, path }) => ({ method, segments: path.split('/') }))
  return async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    const segments = (request.url.split('?', 1)[0] ?? '').split('/')
    const methods = new Set(patterns.filter((pattern) => matches(pattern.segments, segments)).map((pattern) => pattern.method))
    if (methods.size === 0) throw new ServiceError('not_found', `No route ${request.method} ${request.url.split('?', 1)[0]}`)
    if (methods.has('GET')) methods.add('HEAD')
    const allow = [...methods].join(', ')
    reply.header('allow', allow)
    throw new ServiceError('method_not_allowed', `${request.method} is not allowed here; allowed: ${allow}`)
  }
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
  )
}
