import { isIP, isIPv4, isIPv6 } from 'node:net'
import path from 'node:path'
import { z } from 'zod'
import { readTracingSettings, type TracingSettings } from './tracing/index.ts'
import './validation-messages.ts'

const integerText = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be an integer from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be an integer from ${min} to ${max}`)

const booleanText = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], error: 'must be true or false' })

/** Browsers send origins in this form only; another would never match. */
const isOrigin = (value: string): boolean => /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value

const origin = z
  .string()
  .refine(
    (value) => value === '*' || isOrigin(value),
    'must be * or comma-separated origins such as https://shop.example, without a path or a slash at the end',
  )

const isNameServer = (value: string): boolean => {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^:]+)(?::\d{1,5})?)$/.exec(value) ?? []
  return isIP(value) !== 0 || isIPv6(bracketed ?? '') || isIPv4(plain ?? '')
}

const nameServer = z
  .string()
  .refine(isNameServer, 'must be comma-separated addresses of name servers such as 10.0.0.2 or [fd00::2]:5353')

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' })

const encryptionKey = z.string().min(16, 'must have at least 16 characters')

const environment = z.object({
  NODE_ENV: z.string().optional(),
  PORT: integerText(0, 65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_REPLICA_URL: postgresUrl.optional(),
  DATA_DIR: z.string().default('.data'),
  MONITORING_PORT: integerText(0, 65_535).optional(),
  ROLE: z.enum(['all', 'api', 'worker'], 'must be all, api or worker').default('all'),
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

/** How many keys of a tenant can use up what each of them may, when nothing else is set. */
const TENANT_SHARE = 10

export interface Config {
  port: number
  host: string
  /** Undefined: the embedded Postgres in `dataDir`. */
  databaseUrl: string | undefined
  /** A streaming replica of that database, for reads that may be a moment old. */
  databaseReplicaUrl: string | undefined
  dataDir: string
  role: 'all' | 'api' | 'worker'
  /** Where health and metrics are served; undefined: beside the API. */
  monitoringPort: number | undefined
  /** How long the API goes on when told to stop, for load balancers to see that it is no longer ready. */
  stopDelaySeconds: number
  /** Per API key; 0 is off. */
  rateLimitPerMinute: number
  /** Of all keys of a tenant together; 0 is off. */
  tenantRateLimitPerMinute: number
  bodyLimitBytes: number
  /** How many proxies in front of the server may be believed about the client's address. */
  trustProxy: number
  corsOrigins: string[]
  production: boolean
  webhookAllowPrivateNetwork: boolean
  /** Name servers for the receivers' host names; undefined: those of /etc/resolv.conf. */
  webhookDnsServers: string[] | undefined
  /** Undefined: a key of its own, kept in `dataDir`. */
  encryptionKey: string | undefined
  /** Decrypts too, while the encryption key is being rotated. */
  encryptionKeyPrevious: string | undefined
  logLevel: string
  /** Undefined: no traces. */
  tracing: TracingSettings | undefined
}

/** Reads the settings. Throws an error that names every variable that is wrong. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  // An empty variable is how compose files and shells say "not set".
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
  return {
    port: settings.PORT,
    host: settings.HOST,
    databaseUrl: settings.DATABASE_URL,
    databaseReplicaUrl: settings.DATABASE_REPLICA_URL,
    dataDir: path.resolve(settings.DATA_DIR),
    role: settings.ROLE,
    monitoringPort: settings.MONITORING_PORT,
    stopDelaySeconds: settings.STOP_DELAY_SECONDS,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    tenantRateLimitPerMinute: settings.TENANT_RATE_LIMIT_PER_MINUTE ?? TENANT_SHARE * settings.RATE_LIMIT_PER_MINUTE,
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    trustProxy: settings.TRUST_PROXY,
    corsOrigins: settings.CORS_ORIGIN,
    production,
    webhookAllowPrivateNetwork: settings.WEBHOOK_ALLOW_PRIVATE_NETWORK ?? !production,
    webhookDnsServers: settings.WEBHOOK_DNS_SERVERS,
    encryptionKey: settings.ENCRYPTION_KEY,
    encryptionKeyPrevious: settings.ENCRYPTION_KEY_PREVIOUS,
    logLevel: settings.LOG_LEVEL,
    tracing: readTracingSettings(given),
  }
}

/** Throws unless the database is the embedded one; `instead` says what to do for another. */
export function requireEmbedded({ databaseUrl }: Config, instead: string): void {
  if (databaseUrl !== undefined) throw new Error(`DATABASE_URL: is set, and this is for the embedded database: ${instead}`)
}
