import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { activeTracing, type RequestTrace } from '../runtime/tracing/index.ts'
import { pathOf } from './url-path.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For health checks, which would only add noise. */
    isUntraced?: boolean
  }
}

/** Creates a span for each request, and adds its ids to the request's log lines. Does nothing while tracing is off. */
export function traceRequests(app: FastifyInstance): void {
  const tracing = activeTracing()
  if (tracing === undefined) return
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.isUntraced === true) return done()
    const { method, protocol: scheme, id: requestId } = request
    const trace = tracing.beginRequest(request.headers, { method, scheme, path: pathOf(request.url), requestId })
    request.log = request.log.child(trace.ids)
    reply.log = request.log
    // Emitted after the last byte, and also when the client disconnects, for which the framework has no hook.
    reply.raw.once('close', () => endTrace(trace, request, reply))
    trace.within(done)
  })
}

function endTrace(trace: RequestTrace, request: FastifyRequest, reply: FastifyReply): void {
  // Undefined before authentication.
  const caller = request.caller as FastifyRequest['caller'] | undefined
  trace.end({
    route: request.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}'),
    status: reply.statusCode,
    isComplete: reply.raw.writableFinished,
    tenantId: caller?.tenantId,
    keyId: caller?.keyId,
  })
}
