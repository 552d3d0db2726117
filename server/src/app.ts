import cors from '@fastify/cors'
import type { AnyTRPCRouter } from '@trpc/server'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { AuditTrail } from './audit/index.ts'
import type { Config } from './config.ts'
import type { CallContext, WebhookTargetPolicy } from './context.ts'
import type { Database } from './database/database.ts'
import type { ReplicaReads } from './database/replica-reads.ts'
import { WritePositions } from './database/write-positions.ts'
import type { Encryption } from './encryption.ts'
import { FeedHorizon } from './events/index.ts'
import { authentication } from './http/authentication.ts'
import { docsRoutes } from './http/docs.ts'
import { refuseWhileDraining } from './http/draining.ts'
import { buildHttpServer } from './http/http-server.ts'
import { acceptJsonBodies } from './http/json-body.ts'
import { KeyCache } from './http/key-cache.ts'
import { LargeAnswers } from './http/large-answers.ts'
import { limitMemory } from './http/memory-limits.ts'
import { nativeRoutes } from './http/native.ts'
import { rateLimitHook } from './http/rate-limit.ts'
import { RequestTurns, waitForTurn } from './http/request-turns.ts'
import { registerRestRoutes } from './http/rest.ts'
import { traceRequests } from './http/trace-requests.ts'
import { refuseBeforeBody, unknownRoute } from './http/unknown-route.ts'
import type { Metrics } from './monitoring/metrics.ts'

export interface AppDependencies {
  /** What is served. */
  router: AnyTRPCRouter
  config: Pick<Config, 'bodyLimitBytes' | 'trustProxy' | 'corsOrigins' | 'rateLimitPerMinute' | 'tenantRateLimitPerMinute'>
  db: Database
  /** Undefined: all reads go to `db`. */
  replicaReads?: ReplicaReads | undefined
  encryption: Encryption
  webhookTargets: WebhookTargetPolicy
  log: FastifyBaseLogger
  metrics: Metrics
  /** Called after each request that may have recorded events. */
  onWrite?: () => void
}

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Idempotency-Replayed',
  'Deprecation',
  'Sunset',
  'Link',
]

/** Builds the HTTP server; it does not listen yet. */
export async function buildApp({
  router,
  config,
  db,
  replicaReads,
  encryption,
  webhookTargets,
  log,
  metrics,
  onWrite,
}: AppDependencies): Promise<FastifyInstance> {
  const app = buildHttpServer(log, {
    bodyLimit: config.bodyLimitBytes,
    trustProxy: (_address: string, hop: number) => hop < config.trustProxy,
  })
  traceRequests(app)
  const keys = new KeyCache(db, (error) => log.warn({ err: error }, 'could not record the last use of API keys'))
  const forgetKey = (keyId: number): void => keys.forget(keyId)
  const trail = new AuditTrail(db, (error) => log.warn({ err: error }, 'could not add errors to the audit log'))
  const positions = new WritePositions(db, (error) => log.warn({ err: error }, 'could not record how far replicas must be'))
  const feedHorizon = new FeedHorizon(db)
  const contextOf = (request: FastifyRequest): CallContext => ({
    db: db.forTenant(request.caller.tenantId),
    caller: request.caller,
    requestId: request.id,
    encryption,
    webhookTargets,
    feedHorizon,
    forgetKey,
    answerInPieces: (list) => {
      request.largeList = list
    },
    beginAudit: async (operation, input) => {
      const { caller, ip: address, id: requestId } = request
      const entry = await trail.begin({ caller, address, requestId, operation, input })
      return (error) => trail.failed(entry, error)
    },
    beginChange: () => positions.begin(request.caller),
    replicaReads,
  })

  app.addHook('onResponse', (request, reply, done) => {
    const { method, url } = request
    metrics.requestAnswered(method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1_000)
    if (method !== 'GET' && method !== 'HEAD' && reply.statusCode < 300) onWrite?.()
    request.log.info(
      {
        method,
        url: url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        key: request.caller?.keyId,
      },
      'request',
    )
    done()
  })
  app.addHook('onClose', async () => {
    feedHorizon.close()
    await Promise.all([keys.close(), trail.close(), positions.close()])
  })
  refuseWhileDraining(app)
  acceptJsonBodies(app)

  const refusal = unknownRoute(app)
  // An OPTIONS request that is no preflight is a method like any other that a path does not have.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'OPTIONS' || isPreflight(request)) return done()
    done(refusal(request, reply))
  })
  await app.register(cors, {
    origin: config.corsOrigins.includes('*') ? '*' : config.corsOrigins,
    exposedHeaders: EXPOSED_HEADERS,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  })
  // Behind CORS, so that a page can read these answers too.
  refuseBeforeBody(app, refusal)
  const limit = rateLimitHook(db, config)
  const memory = limitMemory(app, config.bodyLimitBytes)
  metrics.measureHeldBytes(memory.held)
  const guards = [authentication(keys), ...(limit === undefined ? [] : [limit]), memory.refuse, waitForTurn(new RequestTurns())]
  const largeAnswers = new LargeAnswers()

  registerRestRoutes(app, router, contextOf, guards, largeAnswers)
  await app.register(async (scope) => {
    for (const guard of guards) scope.addHook('onRequest', guard)
    await nativeRoutes(scope, router, contextOf, largeAnswers)
  })
  await app.register(async (scope) => {
    scope.addHook('onRequest', memory.refuse)
    await docsRoutes(scope)
  })
  return app
}

function isPreflight({ headers }: FastifyRequest): boolean {
  return Boolean(headers.origin) && Boolean(headers['access-control-request-method'])
}
