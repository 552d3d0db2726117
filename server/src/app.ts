import cors from '@fastify/cors'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from './config.ts'
import type { ReplicaReads } from './database/replica/replica-reads.ts'
import { ALL_KEYS, WritePositions } from './database/replica/write-positions.ts'
import type { WebhookTargetPolicy } from './delivery/index.ts'
import { AuditEntryAhead, type AuditEntryName, AuditTrail } from './domain/audit/index.ts'
import { FeedHorizon } from './domain/events/index.ts'
import { authentication, bearerAuthentication } from './http/authentication.ts'
import { DeliveryWakes } from './http/delivery-wakes.ts'
import { docsRoutes } from './http/docs.ts'
import { type Guard, guardedBy } from './http/guards.ts'
import { refuseWhileDraining } from './http/draining.ts'
import { buildHttpServer } from './http/http-server.ts'
import { acceptJsonBodies } from './http/json-body.ts'
import { KeyCache } from './http/key-cache.ts'
import { LargeResponses } from './http/large-responses.ts'
import { mcpRoute } from './http/mcp.ts'
import { limitMemory } from './http/memory-limits.ts'
import { nativeRoutes } from './http/native.ts'
import { markPageRequest } from './http/page-request.ts'
import { Pages, withoutCors } from './http/pages.ts'
import { rateLimitHook } from './http/rate-limit.ts'
import { RequestTurns, takeTurns } from './http/request-turns.ts'
import { type Admit, registerRestRoutes } from './http/rest.ts'
import { traceRequests } from './http/trace-requests.ts'
import { refuseBeforeBody, unknownRoute } from './http/unknown-route.ts'
import { pathOf } from './http/url-path.ts'
import { UsageCounter } from './http/usage-counter.ts'
import { requireScope } from './procedures/call-context.ts'
import type { CallEntry } from './procedures/change.ts'
import { proceduresOf } from './procedures/procedures.ts'
import type { Slice } from './procedures/slice.ts'
import type { Encryption } from './runtime/encryption/encryption.ts'
import type { Metrics } from './runtime/monitoring/metrics.ts'
import { PerShard } from './shards/per-shard.ts'
import { untilSwitched } from './shards/read-in-shard.ts'
import type { Shards } from './shards/shards.ts'

export interface AppDependencies {
  /** The slices to serve. */
  slices: readonly Slice[]
  config: Pick<
    Config,
    | 'bodyLimitBytes'
    | 'trustProxy'
    | 'corsOrigins'
    | 'rateLimitPerMinute'
    | 'tenantRateLimitPerMinute'
    | 'pages'
    | 'publicUrl'
    | 'sessionIdleHours'
    | 'sessionMaxDays'
  >
  shards: Shards
  /** A replica of the directory. Without it, all reads go to the primaries. */
  replicaReads?: ReplicaReads | undefined
  encryption: Encryption
  webhookTargets: WebhookTargetPolicy
  log: FastifyBaseLogger
  metrics: Metrics
  /** Called after each request that may have recorded events for a subscription, with its tenant if it has one. */
  onWrite?: (tenantId: number | undefined) => void
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
  slices,
  config,
  shards,
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
    ...(config.pages ? { rewriteUrl: markPageRequest } : {}),
  })
  traceRequests(app)
  const keys = new KeyCache(shards, (error) => log.warn({ err: error }, 'could not record the last use of API keys'))
  const limit = rateLimitHook(shards, config)
  const lists = slices.flatMap((slice) => slice.exports ?? [])
  const pages = config.pages
    ? new Pages({ shards, keys, limit, config, encryption, lists, onSignInRefused: metrics.signInRefused })
    : undefined
  const forgetKey = (keyId: number): void => {
    keys.forget(keyId)
    pages?.forgetKey(keyId)
  }
  const sessionRules = {
    idleHours: config.sessionIdleHours,
    forget: (tenantId: number, sessionId: number) => pages?.forget(tenantId, sessionId),
  }
  const trails = new PerShard(
    shards,
    (db) => new AuditTrail(db, (error) => log.warn({ err: error }, 'could not add errors to the audit log')),
    (trail) => trail.close(),
  )
  const positions = new WritePositions(shards.directory, (error) =>
    log.warn({ err: error }, 'could not record the write positions that replicas must reach'),
  )
  const usage = new UsageCounter(shards, (error) => log.warn({ err: error }, 'could not record the usage of the API'))
  const wakes = new DeliveryWakes((tenantId) => shards.of(tenantId))
  const feedHorizons = new PerShard(
    shards,
    (db) => new FeedHorizon(db),
    (horizon) => horizon.close(),
  )
  const procedures = proceduresOf(slices)
  const admit: Admit = (request, endpoint) => {
    const { caller, id: requestId, ip: address, routeOptions } = request
    const surface = caller.session?.surface ?? routeOptions.config.surface ?? 'api'
    requireScope(caller, endpoint)
    const db = shards.of(caller.tenantId)
    const isInDirectory = db === shards.directory
    const trail = trails.of(caller.tenantId)
    return {
      endpoint,
      db: db.forTenant(caller.tenantId),
      caller,
      requestId,
      encryption,
      webhookTargets,
      feedHorizon: feedHorizons.of(caller.tenantId),
      forgetKey,
      sessionRules,
      pagesOrigin: config.publicUrl ?? request.pageOrigin?.origin ?? `http://localhost:${request.socket.localPort}`,
      respondInPieces: (list) => {
        request.largeList = list
      },
      beginAudit: async (input, idempotencyKey, isAlone) => {
        const { name: operation, path } = endpoint
        const entry = await trail.begin({ caller, address, requestId, surface, operation, path, input, idempotencyKey }, isAlone)
        if (entry === undefined) return undefined
        return {
          entry: auditedAs(entry, address),
          ahead: entry instanceof AuditEntryAhead ? entry : undefined,
          addError: (error) => trail.failed(entry, error),
        }
      },
      // Only the directory can have a replica that this process knows.
      beginChange: () =>
        isInDirectory ? positions.begin(endpoint.isSeenByAllKeys === true ? { ...caller, keyId: ALL_KEYS } : caller) : undefined,
      replicaReads: isInDirectory ? replicaReads : undefined,
    }
  }

  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, routeOptions } = request
    metrics.requestCompleted(method, routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1_000)
    // Undefined before authentication.
    const tenantId = (request.caller as FastifyRequest['caller'] | undefined)?.tenantId
    if (tenantId !== undefined)
      usage.count(request, routeOptions.config.operationOf, request.toolCall?.status ?? reply.statusCode)
    if (mayHaveWritten(request) && reply.statusCode < 300) {
      if (tenantId === undefined) onWrite?.(tenantId)
      else wakes.wrote(tenantId, routeOptions.config.operationOf?.(request), () => onWrite?.(tenantId))
    }
    request.log.info(
      {
        method,
        url: pathOf(request.raw.page === undefined ? url : request.originalUrl),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        key: request.caller?.keyId,
        session: request.caller?.session?.id,
      },
      'request',
    )
    done()
  })
  app.addHook('onClose', async () => {
    await Promise.all([feedHorizons, keys, positions, trails, usage].map((one) => one.close()))
  })
  refuseWhileDraining(app)
  const turns = new RequestTurns(config.tenantRateLimitPerMinute)
  takeTurns(app, turns)
  acceptJsonBodies(app, turns)

  pages?.guard(app)
  const refusal = unknownRoute(app)
  // An OPTIONS request that is not a preflight is handled like any other method that the path does not support.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'OPTIONS' || isPreflight(request)) return done()
    done(refusal(request, reply))
  })
  await app.register(cors, {
    origin: config.corsOrigins.includes('*') ? '*' : config.corsOrigins,
    exposedHeaders: EXPOSED_HEADERS,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  })
  if (pages !== undefined) withoutCors(app)
  // After CORS, so that pages of allowed origins can read these responses.
  refuseBeforeBody(app, refusal)
  const memory = limitMemory(app, config.bodyLimitBytes)
  metrics.measureHeldBytes(memory.held)
  const limits = [...(limit === undefined ? [] : [limit]), memory.refuse]
  const waitForSwitch: Guard = ({ caller }) => untilSwitched(shards, caller.tenantId)
  const guards = [authentication(keys, pages?.authenticate), waitForSwitch, ...limits]
  const largeResponses = new LargeResponses()

  registerRestRoutes(app, procedures, admit, guards, largeResponses, pages?.admitDevice)
  const { endpoints, call } = procedures
  mcpRoute(app, { endpoints, call, admit }, [bearerAuthentication(keys), waitForSwitch, ...limits], config.corsOrigins)
  await app.register(async (scope) => {
    scope.addHook('onRequest', guardedBy(guards))
    await nativeRoutes(scope, procedures, admit, largeResponses)
  })
  await app.register(async (scope) => {
    scope.addHook('onRequest', guardedBy([memory.refuse]))
    await docsRoutes(scope)
  })
  await pages?.register(app)
  return app
}

/** Reads the time of an entry that the change takes along when it is there. */
function auditedAs(entry: AuditEntryName | AuditEntryAhead, address: string): CallEntry {
  return {
    id: entry.id,
    address,
    named: entry.names.length,
    get at() {
      return entry.at
    },
    async write() {
      if (entry instanceof AuditEntryAhead) await entry.run()
    },
  }
}

function mayHaveWritten({ method, toolCall }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && toolCall?.isRead !== true
}

function isPreflight({ headers }: FastifyRequest): boolean {
  return Boolean(headers.origin) && Boolean(headers['access-control-request-method'])
}
