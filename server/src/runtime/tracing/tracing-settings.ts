import { z } from 'zod'

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/**
 * The standard variables that are read here. The exporter and the resource read further ones: docs/operating.md lists all. A function,
 * because it is only needed while tracing is on.
 */
const environmentSchema = () => {
  const endpoint = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional()
  const protocol = z
    .enum(
      ['http/protobuf', 'http/json'],
      'must be http/protobuf or http/json; grpc is not supported (collectors take HTTP on port 4318)',
    )
    .optional()
  const count = z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be an integer from 1 to 999999999')
    .transform(Number)
    .optional()
  const isRatio = (text: string): boolean => /^\d*\.?\d+$/.test(text) && Number(text) <= 1
  return z.object({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
    OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp'),
    OTEL_TRACES_SAMPLER: z.enum(SAMPLERS, `must be ${SAMPLERS.join(', ')}`).default('parentbased_always_on'),
    OTEL_TRACES_SAMPLER_ARG: z.string().refine(isRatio, 'must be a number from 0 to 1').transform(Number).default(1),
    OTEL_BSP_SCHEDULE_DELAY: count,
    OTEL_BSP_EXPORT_TIMEOUT: count,
    OTEL_BSP_MAX_QUEUE_SIZE: count,
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count,
  })
}

type Environment = z.infer<ReturnType<typeof environmentSchema>>

/** Where spans are sent, and which requests are traced. */
export interface TracingSettings {
  /** URL of the collector, with its path. */
  url: string
  protocol: 'http/protobuf' | 'http/json'
  sampler: Environment['OTEL_TRACES_SAMPLER']
  /** For the samplers that record a share of the traces. */
  ratio: number
  batches: {
    scheduledDelayMillis: number | undefined
    exportTimeoutMillis: number | undefined
    maxQueueSize: number | undefined
    maxExportBatchSize: number | undefined
  }
}

/** The tracing settings, or undefined when tracing is off; then nothing is validated. Throws an error that names every invalid variable. */
export function readTracingSettings(env: Readonly<Record<string, unknown>>): TracingSettings | undefined {
  const isOff = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  if (isOff || (env.OTEL_EXPORTER_OTLP_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) === undefined) return undefined
  const parsed = environmentSchema().safeParse(env)
  if (!parsed.success)
    throw new Error(parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`).join('\n'))
  const given = parsed.data
  return {
    url: given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? tracesOf(given.OTEL_EXPORTER_OTLP_ENDPOINT as string),
    protocol: given.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? given.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf',
    sampler: given.OTEL_TRACES_SAMPLER,
    ratio: given.OTEL_TRACES_SAMPLER_ARG,
    batches: {
      scheduledDelayMillis: given.OTEL_BSP_SCHEDULE_DELAY,
      exportTimeoutMillis: given.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueueSize: given.OTEL_BSP_MAX_QUEUE_SIZE,
      maxExportBatchSize: given.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    },
  }
}

const tracesOf = (endpointOfAll: string): string => `${endpointOfAll.replace(/\/$/, '')}/v1/traces`
