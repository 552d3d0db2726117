import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '../monitoring/metrics.ts'
import type { DeliveryWakes } from './delivery-wakes.ts'
import { pathOf } from './url-path.ts'
import type { UsageCounter } from './usage-counter.ts'

/** What learns of responses. */
export interface AfterResponse {
  metrics: Pick<Metrics, 'requestCompleted'>
  usage: UsageCounter
  wakes: DeliveryWakes
  /** Called after each request that may have recorded events for a subscription, with its tenant if it has one. */
  onWrite: ((tenantId: number | undefined) => void) | undefined
}

/** After each response: measures, counts and logs the request, and wakes the deliveries that it may have made. */
export function addResponseHook(app: FastifyInstance, { metrics, usage, wakes, onWrite }: AfterResponse): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    metrics.requestCompleted(method, routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1_000)
    // Undefined before authentication.
    const tenantId = (request.caller as FastifyRequest['caller'] | undefined)?.tenantId
    if (tenantId !== undefined)
      usage.count(request, routeOptions.config.operationOf, request.toolCall?.status ?? reply.statusCode)
    if (mayHaveWritten(request) && reply.statusCode < 300) {
      if (tenantId === undefined) onWrite?.(tenantId)
      else wakes.wrote(tenantId, routeOptions.config.operationOf?.(request), () => onWrite?.(tenantId))
    }
    logRequest(request, reply)
    done()
  })
}

function mayHaveWritten({ method, toolCall }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && toolCall?.isRead !== true
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      url: pathOf(request.raw.page === undefined ? request.url : request.originalUrl),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      key: request.caller?.keyId,
      session: request.caller?.session?.id,
    },
    'request',
  )
}
