import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'
import { pathOf } from './url-path.ts'

/** The error for an unknown route. Sets the `Allow` header. */
export type Refusal = (request: FastifyRequest, reply: FastifyReply) => ServiceError

/** Tells which requests no route is for, and refuses them. */
export interface UnknownRoute {
  isOf(request: FastifyRequest): boolean
  refusal: Refusal
}

/** A path with parameters, and methods of it. */
interface Pattern {
  methods: string[]
  segments: readonly string[]
}

const WHERE = '; the API is under /api/v1, its reference is at /docs'

/**
 * Distinguishes a path with other methods (405) from an unknown one (404), by the routes that are added afterwards. A path such as
 * `/products/bulk` has only its own methods, not those of `/products/{id}`, to which the router gives the other ones.
 */
export function unknownRoute(app: FastifyInstance): UnknownRoute {
  const patterns: Pattern[] = []
  app.addHook('onRoute', ({ method, url }) => {
    // The route for preflights matches every path.
    if (url !== '*') patterns.push({ methods: [method].flat(), segments: url.split('/') })
  })
  const closerByUrl = new Map<string, Pattern[]>()
  /** The patterns that some paths of a route fit better. Most routes have none. */
  const closerThan = (url: string): Pattern[] => {
    const known = closerByUrl.get(url)
    if (known !== undefined) return known
    const segments = url.split('/')
    const closer = patterns.filter((pattern) => canMeet(pattern.segments, segments) && isCloser(pattern.segments, segments))
    closerByUrl.set(url, closer)
    return closer
  }
  const isOf: UnknownRoute['isOf'] = ({ is404, url, routeOptions }) =>
    is404 || closerThan(routeOptions.url ?? '').some(({ segments }) => matches(segments, pathOf(url).split('/')))
  const refusal: Refusal = (request, reply) => {
    const path = pathOf(request.url)
    const segments = path.split('/')
    const matching = patterns.filter((pattern) => matches(pattern.segments, segments))
    const closest = matching.filter((pattern) => !matching.some((other) => isCloser(other.segments, pattern.segments)))
    const methods = new Set(closest.flatMap((pattern) => pattern.methods))
    if (methods.size === 0)
      return new ServiceError('not_found', `No route ${request.method} ${path}${path.startsWith('/api/v1/') ? '' : WHERE}`)
    const allow = [...methods].join(', ')
    reply.header('allow', allow)
    return new ServiceError('method_not_allowed', `${request.method} is not allowed here; allowed: ${allow}`)
  }
  app.setNotFoundHandler((request, reply) => reply.send(refusal(request, reply)))
  return { isOf, refusal }
}

/** Rejects requests to unknown routes before their body is read. */
export function refuseBeforeBody(app: FastifyInstance, unknown: UnknownRoute): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!unknown.isOf(request)) return done()
    done(unknown.refusal(request, reply))
  })
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    (pattern.at(-1) === '*' ? pattern.length <= segments.length : pattern.length === segments.length) &&
    pattern.every((part, index) => part === '*' || (isParameter(part) ? segments[index] !== '' : part === segments[index]))
  )
}

const isParameter = (part: string | undefined): boolean => part?.startsWith(':') === true

/** Whether a path can match both patterns. Those of files, which end with `*`, leave all other routes as they are. */
function canMeet(one: readonly string[], other: readonly string[]): boolean {
  return (
    one.length === other.length &&
    one.every((part, index) => part === other[index] || isParameter(part) || isParameter(other[index]))
  )
}

/** Whether a pattern, at the first difference, has a fixed part where the other one has a parameter. */
function isCloser(pattern: readonly string[], other: readonly string[]): boolean {
  const at = pattern.findIndex((part, index) => isParameter(part) !== isParameter(other[index]))
  return at !== -1 && pattern[at] !== '*' && isParameter(other[at])
}
