import fc, { type Arbitrary } from 'fast-check'
import { describe, expect } from 'vitest'
import { it } from '../support/it.ts'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { assertFitsDocument } from '../support/document.ts'
import { send, type TestService, type TestTenant } from '../support/service.ts'
import { createRecords, type Records } from './requests.ts'
import { brokenValuesOf, recordOf, valuesOf, type Generation, type Schema } from './schema-arbitrary.ts'

const { PROPERTY_RUNS, PROPERTY_SEED } = process.env

/** The same requests in every run, as many as fit in a short time. `PROPERTY_RUNS=500 PROPERTY_SEED=7` makes more, and others. */
fc.configureGlobal({
  seed: Number(PROPERTY_SEED ?? 1),
  numRuns: Number(PROPERTY_RUNS ?? 20),
  endOnFailure: true,
})
const TIME_MS = PROPERTY_RUNS === undefined ? 350 : Infinity
const timeout = 600_000

interface Parameter {
  in: string
  name: string
  required?: boolean
  schema: Schema
}

interface Operation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: { 'application/json': { schema: Schema } } }
}

interface Request {
  path: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    operation,
  })),
)

const tenants = new Map<string, Promise<{ tenant: TestTenant; records: Records }>>()

/** Each part of the API has its own tenant, so that deletions do not affect the other parts. */
function tenantOf(service: TestService, path: string): Promise<{ tenant: TestTenant; records: Records }> {
  const part = path.split('/')[1] ?? ''
  const existing = tenants.get(part)
  if (existing !== undefined) return existing
  const made = service.newTenant().then(async (tenant) => ({ tenant, records: await createRecords(tenant) }))
  tenants.set(part, made)
  return made
}

function knownValues(records: Records, path: string): Record<string, unknown[]> {
  const { product, location, warehouse, order, flow, webhook, apiKey, inbound, returned, count, packed } = records
  const ids: Record<string, unknown> = {
    products: product.id,
    orders: order.id,
    flows: flow.id,
    webhooks: path.startsWith('/webhooks/deliveries') ? webhook.delivery : webhook.id,
    events: webhook.event,
    locations: location,
    inbound: inbound.id,
    returns: returned.id,
    counts: count,
    shipments: packed.shipment,
    'api-keys': apiKey,
  }
  return {
    id: [ids[path.split('/')[1] ?? '']].filter((id) => id !== undefined),
    productId: [product.id],
    product_id: [product.id],
    sku: [product.sku],
    barcode: [product.barcode, product.pack],
    code: [product.barcode, product.pack, location, order.order_tenant_id],
    location_id: [location, 'elsewhere'],
    from_location_id: [location],
    to_location_id: ['elsewhere'],
    order_id: [order.id, packed.order],
    order_tenant_id: [order.order_tenant_id],
    warehouse_id: [warehouse],
    pick_id: [flow.pick],
    pickId: [flow.pick],
    receipt_id: [inbound.receipt, returned.receipt],
    order_detail_id: [packed.line],
    tracking_url: ['https://track.example/1'],
    label_url: ['https://labels.example/1.pdf'],
    location_ids: [[location]],
    product_ids: [[product.id]],
    url: ['http://127.0.0.1:1/'],
    photo_url: ['https://cdn.example/1.jpg'],
    ip_whitelist: [[], ['127.0.0.1', '10.0.0.0/8']],
    operator_email: ['sam@warehouse.example'],
  }
}

function requestsOf({ parameters = [], requestBody }: Operation, generation: Generation): Arbitrary<Request> {
  const of = (place: string): Arbitrary<Record<string, unknown>> => {
    const own = parameters.filter((parameter) => parameter.in === place)
    const values = own.map(({ name, schema }) => [name, valuesOf(schema, generation, name)] as const)
    return recordOf(
      values,
      own.filter(({ required }) => required).map(({ name }) => name),
    )
  }
  const body =
    requestBody === undefined ? fc.constant(undefined) : valuesOf(requestBody.content['application/json'].schema, generation)
  return fc.record({ path: of('path'), query: of('query'), body })
}

/** Requests with a single error. */
function brokenRequestsOf(operation: Operation, generation: Generation): Arbitrary<Request> {
  const valid = requestsOf(operation, generation)
  const broken = {
    path: brokenValuesOf(valid.map(({ path }) => path)).map((path) => (typeof path === 'object' && path !== null ? path : {})),
    query: brokenValuesOf(valid.map(({ query }) => query)).map((query) =>
      typeof query === 'object' && query !== null ? query : {},
    ),
    body: brokenValuesOf(valid.map(({ body }) => body)),
  }
  const parts: Arbitrary<Partial<Request>>[] = Object.entries(broken).map(([part, values]) =>
    values.map((value) => ({ [part]: value })),
  )
  return fc.tuple(valid, fc.oneof(...parts)).map(([request, part]) => ({ ...request, ...part }))
}

/** In a path or a query everything is text. Other values are written as JSON. */
function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
}

function urlOf(path: string, request: Request): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_part, name: string) => {
    const text = textOf(request.path[name])
    // Clients resolve these path segments before they send the request.
    return ['', '.', '..'].includes(text) ? 'x' : encodeURIComponent(text)
  })
  const query = Object.entries(request.query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(textOf(one))}`),
  )
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

describe.each(operations)('$id', ({ method, path, operation }) => {
  async function expectGoodResponses(
    service: TestService,
    kind: (operation: Operation, generation: Generation) => Arbitrary<Request>,
  ): Promise<void> {
    const { tenant, records } = await tenantOf(service, path)
    const generation = { components: document.components.schemas, known: knownValues(records, path) }
    let until = Infinity
    await fc.assert(
      fc.asyncProperty(kind(operation, generation), async (request) => {
        if (performance.now() > until) return
        until = Math.min(until, performance.now() + TIME_MS)
        const url = urlOf(path, request)
        const body = method === 'GET' ? undefined : request.body
        const response = await send(`${service.url}/api/v1${url}`, method, body, { key: tenant.key })
        expect(response.status, JSON.stringify(response.body)).toBeLessThan(500)
        expect(response.body.success).toBe(response.status === 200)
        assertFitsDocument(method, url, response)
      }),
    )
  }

  it('responds to every valid request as documented', { timeout }, ({ service }) => expectGoodResponses(service, requestsOf))

  it('responds to every invalid request with a documented error', { timeout }, ({ service }) =>
    expectGoodResponses(service, brokenRequestsOf),
  )
})
