import { isIP, isIPv4, isIPv6 } from 'node:net'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { readTracingSettings, type TracingSettings } from './runtime/tracing/index.ts'
import './procedures/validation-messages.ts'

const integerText = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be an integer from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be an integer from ${min} to ${max}`)

const booleanText = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], error: 'must be true or false' })

/** Browsers send origins in this form. Any other form would never match. */
const isOrigin = (value: string): boolean => /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value

const origin = z
  .string()
  .refine(
    (value) => value === '*' || isOrigin(value),
    'must be * or comma-separated origins such as https://shop.example, without a path or a slash at the end',
  )

const pageOrigin = z
  .string()
  .refine(isOrigin, 'must be one origin such as https://stock.example, in lower case, without a path or a slash at the end')

/** Browsers treat plain HTTP to the same machine as secure. */
const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

const MAX_PORT = 65_535

const isNameServer = (value: string): boolean => {
  const {
    bracketed = '',
    plain = '',
    port = '53',
  } = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+))(?::(?<port>\d{1,5}))?$/.exec(value)?.groups ?? {}
  return isIP(value) !== 0 || ((isIPv6(bracketed) || isIPv4(plain)) && Number(port) >= 1 && Number(port) <= MAX_PORT)
}

const nameServer = z
  .string()
  .refine(isNameServer, 'must be comma-separated addresses of name servers such as 10.0.0.2 or [fd00::2]:5353')

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' })

const MAX_PROCESSES = 64

/** A number of processes; `auto` is one per core. */
const processCount = z
  .string()
  .regex(/^(auto|\d+)$/, `must be auto, or an integer from 1 to ${MAX_PROCESSES}`)
  .transform((value) => (value === 'auto' ? Math.min(availableParallelism(), MAX_PROCESSES) : Number(value)))
  .refine((value) => value >= 1 && value <= MAX_PROCESSES, `must be auto, or an integer from 1 to ${MAX_PROCESSES}`)

const shardIds = z
  .string()
  .regex(/^[1-9]\d{0,8}(,[1-9]\d{0,8})*$/, 'must be comma-separated ids of shards such as 1,3')
  .transform((value) => value.split(',').map(Number))

const encryptionKey = z.string().min(16, 'must have at least 16 characters')

const environment = z.object({
  NODE_ENV: z.string().optional(),
  PORT: integerText(0, MAX_PORT).default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_REPLICA_URL: postgresUrl.optional(),
  DATA_DIR: z.string().default('.data'),
  MONITORING_PORT: integerText(0, MAX_PORT).optional(),
  ROLE: z.enum(['all', 'api', 'worker'], 'must be all, api or worker').default('all'),
  SHARDS: shardIds.optional(),
  PROCESSES: processCount.default(1),
  STOP_DELAY_SECONDS: integerText(0, 6).default(0),
  RATE_LIMIT_PER_MINUTE: integerText(0, 1_000_000_000).default(600),
  TENANT_RATE_LIMIT_PER_MINUTE: integerText(0, 10_000_000_000).optional(),
  BODY_LIMIT_BYTES: integerText(1, 1_073_741_824).default(5_242_880),
  TRUST_PROXY: integerText(0, 100).default(0),
  CORS_ORIGIN: z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .pipe(z.array(origin).min(1))
    .default(['*']),
  PAGES: booleanText.default(true),
  PUBLIC_URL: pageOrigin.optional(),
  PAGES_OVER_HTTP: booleanText.default(false),
  SESSION_IDLE_HOURS: integerText(1, 168).default(12),
  SESSION_MAX_DAYS: integerText(1, 30).default(7),
  WEBHOOK_ALLOW_PRIVATE_NETWORK: booleanText.optional(),
  ENCRYPTION_KEY: encryptionKey.optional(),
  ENCRYPTION_KEY_PREVIOUS: encryptionKey.optional(),
  WEBHOOK_DNS_SERVERS: z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .pipe(z.array(nameServer))
    .optional(),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
})

/** Default of the tenant's limit, as a multiple of the limit per key. */
const TENANT_SHARE = 10

export interface Config {
  port: number
  host: string
  /** Without it, the embedded Postgres in `dataDir` is used. */
  databaseUrl: string | undefined
  /** A streaming replica of that database, for reads that tolerate a lag. */
  databaseReplicaUrl: string | undefined
  dataDir: string
  role: 'all' | 'api' | 'worker'
  /** The shards that the process delivers webhooks for and maintains; undefined for all. */
  shards: readonly number[] | undefined
  /** Number of server processes that share the port. */
  processes: number
  /** Port for health and metrics. Without it, they are served beside the API. */
  monitoringPort: number | undefined
  /** How long the API continues after the signal to stop, so that load balancers see that it is no longer ready. */
  stopDelaySeconds: number
  /** Limit per API key; 0 turns it off. */
  rateLimitPerMinute: number
  /** Limit for all keys of a tenant together; 0 turns it off. */
  tenantRateLimitPerMinute: number
  bodyLimitBytes: number
  /** Number of trusted proxies in front of the server. */
  trustProxy: number
  corsOrigins: string[]
  /** Whether the dashboard and the scan app are served. */
  pages: boolean
  /** The only origin of the pages. Without it, they are served only to this machine. */
  publicUrl: string | undefined
  /** A dashboard session ends when it is unused for this long. */
  sessionIdleHours: number
  /** A dashboard session ends this long after the sign-in. */
  sessionMaxDays: number
  production: boolean
  webhookAllowPrivateNetwork: boolean
  /** Name servers for the host names of receivers. Without them, those of /etc/resolv.conf are used. */
  webhookDnsServers: string[] | undefined
  /** Without it, a generated key in `dataDir` is used. */
  encryptionKey: string | undefined
  /** Also decrypts while the encryption key is being rotated. */
  encryptionKeyPrevious: string | undefined
  logLevel: string
  /** Without it, tracing is off. */
  tracing: TracingSettings | undefined
}

/** Reads the settings. Throws an error that names every invalid variable. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  // Compose files and shells set a variable to an empty string for "not set".
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(given)
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`).join('\n'))
  }
  const settings = parsed.data
  const production = settings.NODE_ENV === 'production'
  if (production && settings.DATABASE_URL !== undefined && settings.ENCRYPTION_KEY === undefined) {
    throw new Error(
      'ENCRYPTION_KEY: is required in production when DATABASE_URL is set, so that all servers of the database share it',
    )
  }
  if (settings.DATABASE_REPLICA_URL !== undefined && settings.DATABASE_URL === undefined) {
    throw new Error('DATABASE_REPLICA_URL: set DATABASE_URL too, to the primary that this is a replica of')
  }
  if (settings.ENCRYPTION_KEY_PREVIOUS !== undefined && settings.ENCRYPTION_KEY === undefined) {
    throw new Error('ENCRYPTION_KEY_PREVIOUS: set ENCRYPTION_KEY too, to the key that encrypts')
  }
  if (
    settings.PUBLIC_URL?.startsWith('http:') &&
    !settings.PAGES_OVER_HTTP &&
    !isLoopback(new URL(settings.PUBLIC_URL).hostname)
  ) {
    throw new Error(
      'PUBLIC_URL: must begin with https://, because API keys and sessions would go over the network unencrypted; PAGES_OVER_HTTP=true permits http://',
    )
  }
  return {
    port: settings.PORT,
    host: settings.HOST,
    databaseUrl: settings.DATABASE_URL,
    databaseReplicaUrl: settings.DATABASE_REPLICA_URL,
    dataDir: path.resolve(settings.DATA_DIR),
    role: settings.ROLE,
    shards: settings.SHARDS,
    processes: settings.PROCESSES,
    monitoringPort: settings.MONITORING_PORT,
    stopDelaySeconds: settings.STOP_DELAY_SECONDS,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    tenantRateLimitPerMinute: settings.TENANT_RATE_LIMIT_PER_MINUTE ?? TENANT_SHARE * settings.RATE_LIMIT_PER_MINUTE,
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    trustProxy: settings.TRUST_PROXY,
    corsOrigins: settings.CORS_ORIGIN,
    pages: settings.PAGES,
    publicUrl: settings.PUBLIC_URL,
    sessionIdleHours: settings.SESSION_IDLE_HOURS,
    sessionMaxDays: settings.SESSION_MAX_DAYS,
    production,
    webhookAllowPrivateNetwork: settings.WEBHOOK_ALLOW_PRIVATE_NETWORK ?? !production,
    webhookDnsServers: settings.WEBHOOK_DNS_SERVERS,
    encryptionKey: settings.ENCRYPTION_KEY,
    encryptionKeyPrevious: settings.ENCRYPTION_KEY_PREVIOUS,
    logLevel: settings.LOG_LEVEL,
    tracing: readTracingSettings(given),
  }
}

/** Throws unless the database is the embedded one. `instead` says what to do with another database. */
export function requireEmbedded({ databaseUrl }: Config, instead: string): void {
  if (databaseUrl !== undefined) throw new Error(`DATABASE_URL: is set, and this is for the embedded database: ${instead}`)
}
