import cors from '@fastify/cors'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from './config.ts'
import type { ReplicaReads } from './database/replica/replica-reads.ts'
import type { WebhookTargetPolicy } from './delivery/index.ts'
import { type Admit, admitting } from './http/admit.ts'
import { addResponseHook } from './http/after-response.ts'
import { authentication, bearerAuthentication } from './http/authentication.ts'
import { acceptJsonBodies } from './http/body/json-body.ts'
import { LargeResponses } from './http/body/large-responses.ts'
import { DeliveryWakes } from './http/delivery-wakes.ts'
import { docsRoutes } from './http/docs.ts'
import { refuseWhileDraining } from './http/draining.ts'
import { type Guard, guardedBy } from './http/guards.ts'
import { buildHttpServer } from './http/http-server.ts'
import { limitMemory } from './http/limits/memory-limits.ts'
import { rateLimitGuard } from './http/limits/rate-limit.ts'
import { RequestScheduler, scheduleRequests } from './http/limits/request-scheduler.ts'
import { mcpRoute } from './http/mcp.ts'
import { markPageRequest } from './http/pages/page-request.ts'
import { Pages, withoutCors } from './http/pages/pages.ts'
import { registerRestRoutes } from './http/rest.ts'
import { openServices, type Services } from './http/services.ts'
import { traceRequests } from './http/trace-requests.ts'
import { trpcRoutes } from './http/trpc.ts'
import { type Refusal, refuseBeforeBody, unknownRoute } from './http/unknown-route.ts'
import type { Metrics } from './monitoring/metrics.ts'
import { proceduresOf } from './procedures/procedures.ts'
import type { Slice } from './procedures/slice.ts'
import type { Encryption } from './runtime/encryption/encryption.ts'
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
  'WWW-Authenticate',
]

/** Builds the HTTP server; it does not listen yet. */
export async function buildApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { config, shards, log } = dependencies
  const app = buildHttpServer(log, {
    bodyLimit: config.bodyLimitBytes,
    trustProxy: (_address: string, hop: number) => hop < config.trustProxy,
    ...(config.pages ? { rewriteUrl: markPageRequest } : {}),
  })
  const services = openServices(shards, log)
  const scheduler = new RequestScheduler(config.tenantRateLimitPerMinute)
  const limit = rateLimitGuard(shards, config)
  const pages = config.pages ? pagesOf(dependencies, services, limit) : undefined
  const parts = { ...dependencies, services, scheduler, limit, pages }
  await addRoutes(app, parts, await addHooks(app, parts))
  return app
}

/** The dependencies of an app, and what is made of them. */
interface Parts extends AppDependencies {
  services: Services
  scheduler: RequestScheduler
  /** Undefined without rate limits. */
  limit: Guard | undefined
  /** Undefined with `PAGES=false`. */
  pages: Pages | undefined
}

function pagesOf(
  { slices, shards, config, encryption, metrics }: AppDependencies,
  { keys }: Services,
  limit: Guard | undefined,
): Pages {
  const lists = slices.flatMap((slice) => slice.exports ?? [])
  return new Pages({ shards, keys, limit, config, encryption, lists, onSignInRefused: metrics.signInRefused })
}

/** Adds the hooks of every request, in the order in which they run. Returns the guard that refuses requests while responses are unread. */
async function addHooks(app: FastifyInstance, parts: Parts): Promise<Guard> {
  const { config, shards, metrics, onWrite, services, scheduler, pages } = parts
  traceRequests(app)
  const wakes = new DeliveryWakes((tenantId) => shards.of(tenantId))
  addResponseHook(app, { metrics, usage: services.usage, wakes, onWrite })
  app.addHook('onClose', () => services.close())
  scheduleRequests(app, scheduler)
  acceptJsonBodies(app, scheduler)
  pages?.guard(app)
  const refusal = unknownRoute(app)
  refuseOptions(app, refusal)
  await app.register(cors, {
    origin: config.corsOrigins.includes('*') ? '*' : config.corsOrigins,
    exposedHeaders: EXPOSED_HEADERS,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  })
  if (pages !== undefined) withoutCors(app)
  // After CORS, so that pages of allowed origins can read these responses.
  refuseWhileDraining(app)
  refuseBeforeBody(app, refusal)
  const memory = limitMemory(app, config.bodyLimitBytes)
  metrics.measureHeldBytes(memory.held)
  return memory.refuse
}

/** Adds all routes, each with its guards in the order in which they run. */
async function addRoutes(app: FastifyInstance, parts: Parts, requireRoom: Guard): Promise<void> {
  const { slices, config, shards, services, scheduler, limit, pages } = parts
  const procedures = proceduresOf(slices)
  const admit = admitOf(parts)
  const waitForSwitch: Guard = ({ caller }) => untilSwitched(shards, caller.tenantId)
  const limits = [waitForSwitch, ...(limit === undefined ? [] : [limit]), requireRoom]
  const guards = [authentication(services.keys, pages?.authenticate), ...limits]
  const largeResponses = new LargeResponses()
  registerRestRoutes(app, procedures, admit, guards, largeResponses, pages?.admitDevice)
  const { endpoints, call } = procedures
  mcpRoute(app, { endpoints, call, admit, largeResponses }, [bearerAuthentication(services.keys), ...limits], config.corsOrigins)
  await app.register(async (scope) => {
    scope.addHook('onRequest', guardedBy(guards))
    await trpcRoutes(scope, procedures, admit, largeResponses, scheduler)
  })
  await app.register(async (scope) => {
    scope.addHook('onRequest', guardedBy([requireRoom]))
    await docsRoutes(scope)
  })
  await pages?.register(app)
}

function admitOf({ config, shards, replicaReads, encryption, webhookTargets, services, pages }: Parts): Admit {
  return admitting({
    ...services,
    shards,
    replicaReads,
    encryption,
    webhookTargets,
    forgetKey: (keyId) => {
      services.keys.forget(keyId)
      pages?.forgetKey(keyId)
    },
    sessionRules: {
      idleHours: config.sessionIdleHours,
      forget: (tenantId, sessionId) => pages?.forget(tenantId, sessionId),
    },
    publicUrl: config.publicUrl,
  })
}

/** An OPTIONS request that is not a preflight is handled like any other method that the path does not support. */
function refuseOptions(app: FastifyInstance, refusal: Refusal): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'OPTIONS' || isPreflight(request)) return done()
    done(refusal(request, reply))
  })
}

function isPreflight({ headers }: FastifyRequest): boolean {
  return Boolean(headers.origin) && Boolean(headers['access-control-request-method'])
}
