import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { readConfig } from '@fulfillment/server/config.ts'
import { loadedModules, TELL_MODULES } from '../support/loaded-modules.ts'
import { atMost } from '../support/patience.ts'
import { freePort } from '../support/free-port.ts'
import { it } from './support/it.ts'

const COLLECTOR = 'http://127.0.0.1:4318'

it.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT: must be an http:\/\/ or https:\/\/ URL$/],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'ftp://collector' }, /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: must be an http/],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    /^OTEL_EXPORTER_OTLP_PROTOCOL: must be http\/protobuf or http\/json; grpc is not supported/,
  ],
  [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' }, /^OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: must be http\/protobuf or http\/json/],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /^OTEL_TRACES_EXPORTER: must be otlp or none$/],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /^OTEL_TRACES_SAMPLER: must be always_on, /],
  [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, /^OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1$/],
  [{ OTEL_BSP_MAX_QUEUE_SIZE: '0' }, /^OTEL_BSP_MAX_QUEUE_SIZE: must be an integer from 1 to 999999999$/],
])('refuses %j', (env, message) => {
  expect(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, ...env })).toThrow(message)
})

it('reads the standard variables, and is off without a collector or if disabled', () => {
  const tracing = (env: Record<string, string>) => readConfig(env).tracing
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: `${COLLECTOR}/prefix/` }
  expect(tracing(all)).toMatchObject({
    url: `${COLLECTOR}/prefix/v1/traces`,
    protocol: 'http/protobuf',
    sampler: 'parentbased_always_on',
  })
  const traces = { ...all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${COLLECTOR}/spans`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  expect(tracing(traces)).toMatchObject({ url: `${COLLECTOR}/spans`, protocol: 'http/json' })
  const offs: [string, string][] = [
    ['OTEL_SDK_DISABLED', 'true'],
    ['OTEL_TRACES_EXPORTER', 'none'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ''],
  ]
  for (const [name, value] of offs)
    expect(tracing({ ...all, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', [name]: value })).toBeUndefined()
})

it('loads no OpenTelemetry module without a collector', async ({ startCollector, startTracedServer }) => {
  const collector = await startCollector()
  for (const [env, isLoaded] of [
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, true],
  ] as const) {
    const server = await startTracedServer({ NODE_OPTIONS: TELL_MODULES.join(' '), ...env })
    expect((await server.request('POST', '/api/v1/products', { name: 'a', barcode: 'a' })).status).toBe(200)
    await server.process.end('SIGTERM')
    // `api` is the interface without an implementation, which prom-client needs.
    const loaded = loadedModules(server.process.output()).some((url) => /@opentelemetry\/(?!api\/)/.test(url))
    expect(loaded).toBe(isLoaded)
    expect(server.process.output().includes('trace_id')).toBe(isLoaded)
  }
})

it('sends protobuf by default, with the configured service name', async ({ startCollector, startTracedServer }) => {
  const collector = await startCollector()
  const server = await startTracedServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: '',
    OTEL_SERVICE_NAME: 'warehouse-north',
  })
  await server.request('GET', '/api/v1/products/1')
  await expect.poll(() => collector.bodies.join('\n')).toContain('GET /api/v1/products/{id}')
  expect(collector.headers[0]?.['content-type']).toBe('application/x-protobuf')
  expect(collector.bodies[0]).toContain('warehouse-north')
})

it('samples a configured share of new traces, and follows the caller’s decision', async ({
  startCollector,
  startTracedServer,
}) => {
  const collector = await startCollector()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const none = await startTracedServer({ ...env, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' })
  const traceId = randomBytes(16).toString('hex')
  const parents: Record<string, string>[] = [{}, { traceparent: `00-${traceId}-${'1'.repeat(16)}-01` }]
  for (const headers of parents) await none.request('GET', '/api/v1/warehouses', undefined, headers)
  await none.process.end('SIGTERM')
  const roots = collector.spans.filter(({ kind }) => kind === 2)
  expect(roots.map((span) => span.traceId)).toEqual([traceId])
  const off = await startTracedServer({ ...env, OTEL_TRACES_SAMPLER: 'always_off' })
  collector.spans.length = 0
  for (const headers of parents) await off.request('GET', '/api/v1/warehouses', undefined, headers)
  await off.process.end('SIGTERM')
  expect(collector.spans).toEqual([])
})

it('sends the remaining spans when the server stops', async ({ startCollector, startTracedServer }) => {
  const collector = await startCollector()
  const server = await startTracedServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '600000' })
  await server.request('GET', '/api/v1/warehouses')
  expect(collector.spans).toEqual([])
  expect(await server.process.end('SIGTERM')).toBe(0)
  expect(collector.spans.map(({ name }) => name)).toContain('GET /api/v1/warehouses')
})

it('keeps serving while the collector is down, logs that once a minute, and stops in time', async ({
  startCollector,
  startTracedServer,
}) => {
  const refusing = `http://127.0.0.1:${await freePort()}`
  const silent = await startCollector(() => {})
  const failing = await startCollector((response) => response.writeHead(500).end())
  for (const url of [refusing, silent.url, failing.url]) {
    const server = await startTracedServer({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      OTEL_BSP_EXPORT_TIMEOUT: '300',
      OTEL_BSP_MAX_QUEUE_SIZE: '20',
    })
    for (let round = 0; round < 10; round++) {
      const responses = await Promise.all(Array.from({ length: 20 }, () => server.request('GET', '/api/v1/warehouses')))
      expect(responses.every(({ status }) => status === 200)).toBe(true)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const reports = () => server.logLines().filter(({ msg }) => String(msg).startsWith('could not export spans'))
    await expect.poll(() => reports().length).toBe(1)
    const stoppedAt = performance.now()
    expect(await server.process.end('SIGTERM')).toBe(0)
    expect(performance.now() - stoppedAt).toBeLessThan(atMost(2_000))
    expect([url, reports().length]).toEqual([url, 1])
  }
})
