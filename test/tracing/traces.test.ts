import { randomBytes } from 'node:crypto'
import { request as sendRequest } from 'node:http'
import { describe, expect } from 'vitest'
import { startServerProcess } from '../support/server-process.ts'
import { startCollector, type CollectedSpan, type Collector } from './support/collector.ts'
import { it as base } from './support/it.ts'
import { startTracedServer } from './support/traced-server.ts'

const SERVER = 2
const CLIENT = 3

/** `it` with a collector and a server that sends its spans there, for all tests of the file. */
const it = base
  .extend('collector', { scope: 'file' }, async ({}, { onCleanup }) => {
    const collector = await startCollector()
    onCleanup(() => collector.close())
    return collector
  })
  .extend('server', { scope: 'file' }, async ({ collector, database }, { onCleanup }) => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-token=token-of-the-collector',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
    }
    const server = await startTracedServer(database, env, startServerProcess)
    onCleanup(async () => void (await server.process.end('SIGTERM')))
    return server
  })

/** A trace of a caller. */
function newTrace(flags = '01') {
  const traceId = randomBytes(16).toString('hex')
  const spanId = randomBytes(8).toString('hex')
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}` } }
}

const inTrace = (traceId: string) => (span: CollectedSpan) => span.traceId === traceId
const requestSpan = async (collector: Collector, traceId: string): Promise<CollectedSpan> => {
  const [span] = await collector.find('request span', (span) => span.traceId === traceId && span.kind === SERVER)
  return span as CollectedSpan
}

describe('the trace of a request', () => {
  it('continues the caller’s trace, and contains the SQL statements', async ({ collector, server }) => {
    const trace = newTrace()
    const headers = { ...trace.headers, tracestate: 'vendor=caller-1', 'x-request-id': 'traced-request' }
    const response = await server.request('GET', '/api/v1/products/424242?note=secret-of-the-query', undefined, headers)
    expect(response.status).toBe(404)
    const request = await requestSpan(collector, trace.traceId)
    expect(request).toMatchObject({
      name: 'GET /api/v1/products/{id}',
      parentSpanId: trace.spanId,
      traceState: 'vendor=caller-1',
      statusCode: 0,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/api/v1/products/{id}',
        'http.response.status_code': 404,
        'url.path': '/api/v1/products/424242',
        'url.scheme': 'http',
        'fulfillment.request_id': 'traced-request',
        'fulfillment.tenant_id': server.tenantId,
        'fulfillment.key_id': server.keyId,
      },
      resource: { 'service.name': 'fulfillment', 'deployment.environment.name': 'tests' },
    })
    const statements = collector.spans.filter((span) => span.traceId === trace.traceId && span.kind === CLIENT)
    expect(statements.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^find_product/))
    for (const span of statements) {
      expect(span).toMatchObject({
        parentSpanId: request.spanId,
        attributes: { 'db.system.name': 'postgresql', 'db.query.summary': span.name },
      })
      expect([span.startMs >= request.startMs, span.endMs <= request.endMs]).toEqual([true, true])
    }
    expect(collector.headers[0]).toMatchObject({ 'x-collector-token': 'token-of-the-collector' })
  })

  it('contains the statements after the body was read, their wait for a connection, and transactions', async ({
    collector,
    server,
  }) => {
    const plain = newTrace()
    const product = { name: 'Traced', barcode: 'traced-1', description: 'secret-of-the-body' }
    expect((await server.request('POST', '/api/v1/products', product, plain.headers)).status).toBe(200)
    await requestSpan(collector, plain.traceId)
    const spans = collector.spans.filter(inTrace(plain.traceId))
    expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['insert_audit_entries', 'POST /api/v1/products']))
    const waits = spans.filter((span) => 'fulfillment.connection_wait_ms' in span.attributes)
    expect(waits.length).toBeGreaterThan(0)

    const keyed = newTrace()
    const headers = { ...keyed.headers, 'idempotency-key': 'secret-idempotency-key' }
    expect((await server.request('POST', '/api/v1/products', { ...product, barcode: 'traced-2' }, headers)).status).toBe(200)
    const request = await requestSpan(collector, keyed.traceId)
    const transaction = collector.spans.filter(inTrace(keyed.traceId)).find(({ name }) => name === 'transaction')
    expect(transaction).toMatchObject({ parentSpanId: request.spanId, kind: CLIENT })
    const within = collector.spans.filter(({ parentSpanId }) => parentSpanId === transaction?.spanId)
    expect(within.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['claim_idempotency_keys', 'keep_idempotent_responses']),
    )
  })

  it('contains the statements after a body that arrives late', async ({ collector, server }) => {
    const trace = newTrace()
    const headers = { ...trace.headers, 'x-api-key': server.key, 'content-type': 'application/json' }
    const status = new Promise<number | undefined>((resolve, reject) => {
      const request = sendRequest(`${server.process.url}/api/v1/products`, { method: 'POST', headers }, (response) =>
        resolve(response.resume().statusCode),
      )
      request.on('error', reject).flushHeaders()
      setTimeout(() => request.end(JSON.stringify({ name: 'Late', barcode: 'late-1' })), 100)
    })
    expect(await status).toBe(200)
    const { spanId } = await requestSpan(collector, trace.traceId)
    const names = collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['insert_audit_entries', 'insert_product']))
  })

  it('contains queries that are composed for the call, which have no name', async ({ collector, server }) => {
    const trace = newTrace()
    expect((await server.request('GET', '/api/v1/api-keys', undefined, trace.headers)).status).toBe(200)
    await requestSpan(collector, trace.traceId)
    const names = collector.spans.filter(inTrace(trace.traceId)).map(({ name }) => name)
    expect(names).toContain('select api_keys')
  })

  it('covers calls of tRPC clients', async ({ collector, server }) => {
    const trace = newTrace()
    await server.request('GET', `/trpc/products.list?input=${encodeURIComponent('{}')}`, undefined, trace.headers)
    expect(await requestSpan(collector, trace.traceId)).toMatchObject({
      name: 'GET /trpc/{path}',
      attributes: { 'url.path': '/trpc/products.list', 'http.response.status_code': 200 },
    })
  })

  it('is a new trace if the caller’s header is invalid', async ({ collector, server }) => {
    for (const traceparent of [
      'garbage',
      `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
      `ff-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
    ]) {
      const id = `invalid-${randomBytes(4).toString('hex')}`
      await server.request('GET', '/api/v1/warehouses', undefined, { traceparent, 'x-request-id': id })
      const [span] = await collector.find('span', ({ attributes }) => attributes['fulfillment.request_id'] === id)
      expect([span?.parentSpanId, span?.traceId]).not.toContain('1'.repeat(16))
      expect(span?.parentSpanId).toBeUndefined()
    }
  })

  it('has an error status for a server error, with only the SQLSTATE', async ({ collector, server, database }) => {
    await database.db.dedicatedPool.query(
      `alter table products add constraint broken check (name <> 'Broken secret-of-the-body')`,
    )
    const trace = newTrace()
    const body = { name: 'Broken secret-of-the-body', barcode: 'traced-3' }
    expect((await server.request('POST', '/api/v1/products', body, trace.headers)).status).toBe(500)
    await database.db.dedicatedPool.query('alter table products drop constraint broken')
    expect(await requestSpan(collector, trace.traceId)).toMatchObject({ statusCode: 2, attributes: { 'error.type': '500' } })
    const failed = collector.spans.find((span) => span.traceId === trace.traceId && span.kind === CLIENT && span.statusCode === 2)
    expect(failed?.attributes).toMatchObject({ 'db.response.status_code': '23514' })
  })

  it('is not sent if the caller did not sample it', async ({ collector, server }) => {
    const [unsampled, sampled] = [newTrace('00'), newTrace()]
    await server.request('POST', '/api/v1/products', { name: 'Unsampled', barcode: 'unsampled' }, unsampled.headers)
    await server.request('GET', '/api/v1/warehouses', undefined, sampled.headers)
    await requestSpan(collector, sampled.traceId)
    expect(collector.spans.filter(inTrace(unsampled.traceId))).toEqual([])
  })

  it('does not exist for health checks', async ({ collector, server }) => {
    await fetch(`${server.process.url}/readyz`)
    const trace = newTrace()
    await server.request('GET', '/api/v1/warehouses', undefined, trace.headers)
    await requestSpan(collector, trace.traceId)
    expect(collector.spans.filter(({ attributes }) => attributes['url.path'] === '/readyz')).toEqual([])
  })
})

describe('a statement that serves several requests', () => {
  it('is linked to each of them', async ({ collector, server, database: { db } }) => {
    const created = await server.request('POST', '/api/v1/products', { name: 'Shared', barcode: 'shared-1' })
    const traces = Array.from({ length: 30 }, () => newTrace())
    const adjustment = { product_id: created.body.data.id, location_id: 'A1', adjustment_quantity: 1 }
    await server.request('POST', '/api/v1/stock/adjustment', adjustment)
    // The first one waits for a lock until the others have come: on a busy machine, each could be served alone.
    const blocker = await db.dedicatedPool.connect()
    await blocker.query('begin')
    await blocker.query('select from stock_levels where product_id = $1 for update', [adjustment.product_id])
    const audited = async (): Promise<number | null> =>
      (await db.dedicatedPool.query(`select from audit_log where operation = 'stock.adjust'`)).rowCount
    const responding = Promise.all(
      traces.map((trace) => server.request('POST', '/api/v1/stock/adjustment', adjustment, trace.headers)),
    )
    await expect.poll(audited).toBeGreaterThanOrEqual(traces.length)
    await blocker.query('commit')
    blocker.release()
    const responses = await responding
    expect([...new Set(responses.map(({ status }) => status))]).toEqual([200])
    const requests = await Promise.all(traces.map(({ traceId }) => requestSpan(collector, traceId)))
    const shared = collector.spans.filter(({ kind, links }) => kind === CLIENT && links.length > 1)
    expect(shared.length).toBeGreaterThan(0)
    for (const span of shared) {
      expect(span.parentSpanId).toBeUndefined()
      expect(span.attributes['db.operation.batch.size']).toBe(span.links.length)
      const linked = requests.filter(({ spanId }) => span.links.some((link) => link.spanId === spanId))
      expect(linked.length).toBe(span.links.length)
      for (const request of linked) {
        const waits = collector.spans.filter(({ parentSpanId, name }) => parentSpanId === request.spanId && name === span.name)
        expect(waits.map(({ links }) => links[0]?.spanId)).toContain(span.spanId)
      }
    }
  })
})

describe('the trace of a delivery', () => {
  it('continues at the receiver', async ({ collector, server, startReceiver }) => {
    const receiver = await startReceiver((request, response) => {
      const status = request.headers['x-webhook-attempt'] === '1' ? 503 : 200
      response.writeHead(status, { 'retry-after': '1' }).end()
    })
    const { port } = new URL(receiver.url)
    const url = `${receiver.url}&token=secret-of-the-receiver`
    const created = await server.request('POST', '/api/v1/webhooks', { name: 'hook', url, events: ['product/created'] })
    expect(created.status).toBe(200)
    await server.request('POST', '/api/v1/products', { name: 'Delivered', barcode: 'delivered-1' })
    const [first, second] = await receiver.count(2)
    for (const [received, attempt, status] of [
      [first, 1, 503],
      [second, 2, 200],
    ] as const) {
      const [, traceId, spanId, flags] = String(received?.headers.traceparent).split('-')
      expect([flags, received?.headers.tracestate]).toEqual(['01', undefined])
      const [span] = await collector.find('delivery span', (candidate) => candidate.traceId === traceId)
      expect(span).toMatchObject({
        name: 'deliver product/created',
        kind: CLIENT,
        spanId,
        statusCode: status === 200 ? 0 : 2,
        attributes: {
          'http.request.method': 'POST',
          'http.response.status_code': status,
          'server.address': '127.0.0.1',
          'server.port': Number(port),
          'fulfillment.tenant_id': server.tenantId,
          'fulfillment.event_id': received?.event.id,
          'fulfillment.webhook.topic': 'product/created',
          'fulfillment.webhook.attempt': attempt,
        },
      })
    }
  })

  it('of a test event continues the trace of the request, without the caller’s tracestate', async ({ server, receiver }) => {
    const created = await server.request('POST', '/api/v1/webhooks', {
      name: 'tested',
      url: receiver.url,
      events: ['order/created'],
    })
    const trace = newTrace()
    const headers = { ...trace.headers, tracestate: 'vendor=caller-2' }
    const response = await server.request('POST', `/api/v1/webhooks/${created.body.data.id}/test`, {}, headers)
    expect(response.body.data.state).toBe('succeeded')
    const [received] = await receiver.count(1)
    expect(received?.headers.traceparent).toMatch(new RegExp(`^00-${trace.traceId}-(?!${trace.spanId})[0-9a-f]{16}-01$`))
    expect(received?.headers.tracestate).toBeUndefined()
  })
})

describe('exported data', () => {
  it('has the trace id of the log lines, and contains no secrets', async ({ collector, server }) => {
    const trace = newTrace()
    await server.request('GET', '/api/v1/warehouses', undefined, { ...trace.headers, 'x-request-id': 'logged-request' })
    const { spanId } = await requestSpan(collector, trace.traceId)
    await expect
      .poll(() => server.logLines().find(({ reqId }) => reqId === 'logged-request'))
      .toMatchObject({ trace_id: trace.traceId, span_id: spanId })
    const sent = collector.bodies.join('\n')
    expect(sent).toContain('POST /v1/traces ')
    for (const secret of ['secret', server.key, 'encryption key'])
      expect([secret, sent.includes(secret)]).toEqual([secret, false])
  })
})
