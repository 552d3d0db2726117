import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect } from 'vitest'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { connectAgent } from '../support/agent.ts'
import { it as base } from '../support/it.ts'
import type { ServiceResponse, TestTenant } from '../support/service.ts'

interface Content {
  'application/json': { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }
}

interface Operation {
  operationId: string
  requestBody?: { content: Content }
  responses: { 200: { content: Content } }
}

const document = openApiDocument() as unknown as {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)
const withBody = operations.filter(({ operation }) => operation.requestBody !== undefined)

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addSchema(openApiDocument(), 'openapi')

/** The schema of a part of the document, with references into the document. */
function schemaWithin(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as object
}

function examplesOf({ 'application/json': { example, examples = {} } }: Content): unknown[] {
  return example === undefined ? Object.values(examples).map(({ value }) => value) : [example]
}

// Without deliveries: the examples contain URLs of receivers.
const it = base.extend('settings', { scope: 'file' }, { role: 'api' })

describe('the examples of the document', () => {
  const bodies: [string, Content][] = [
    ...withBody.map(({ operation: { operationId, requestBody } }): [string, Content] => [
      `request of ${operationId}`,
      requestBody!.content,
    ]),
    ...operations.map(({ operation: { operationId, responses } }): [string, Content] => [
      `response of ${operationId}`,
      responses[200].content,
    ]),
    ...Object.entries(document.webhooks).map(([topic, { post }]): [string, Content] => [topic, post.requestBody!.content]),
  ]

  it.each(bodies)('exist and match the schema: %s', (_, content) => {
    const examples = examplesOf(content)
    expect(examples).not.toEqual([])
    const validate = ajv.compile(schemaWithin(content['application/json'].schema))
    for (const example of examples) expect(validate(example), ajv.errorsText(validate.errors)).toBe(true)
  })

  it('are realistic: every text field has its own sample', () => {
    const made = bodies.flatMap(([name, content]) => (JSON.stringify(examplesOf(content)).includes('"text"') ? [name] : []))
    expect(made, 'add what is missing to sample-values.ts').toEqual([])
  })
})

describe('the examples of requests', () => {
  it('are accepted in sequence for a new tenant', async ({ tenant }) => {
    await sendExamples(tenant, (method, path, body) => tenant.request(method, path, body))
  })

  it('are accepted as the arguments of tools', async ({ tenant }) => {
    const agent = await connectAgent(tenant)
    const { tools } = await agent.client.listTools()
    const called: string[] = []
    await sendExamples(tenant, async (method, path, body, { operationId, ids }) => {
      const tool = operationId.replace('.', '_')
      // Items are an array here, and the two other forms of the body are its shorthands.
      const isShorthand = Array.isArray(body) || (operationId === 'orders.create' && !('orders' in (body as object)))
      if (isShorthand || !tools.some(({ name }) => name === tool)) return await tenant.request(method, path, body)
      called.push(tool)
      return { status: 200, body: { data: await agent.call(tool, { ...(body as object), ...ids }) } } as ServiceResponse
    })
    expect(called.length).toBeGreaterThan(15)
    await agent.close()
  })
})

type SendExample = (
  method: string,
  path: string,
  body: unknown,
  operation: { operationId: string; ids: Record<string, unknown> },
) => Promise<ServiceResponse>

/** Sends all examples of bodies, each to records that earlier ones made. */
async function sendExamples(tenant: TestTenant, sendOne: SendExample): Promise<void> {
  const sent = new Set<string>()
  /** Sends every example of an operation's body and returns the data of the first response. */
  const send = async (operationId: string, ...ids: (string | number)[]) => {
    const { method, path, operation } = withBody.find((one) => one.operation.operationId === operationId)!
    const names = (path.match(/\{\w+\}/g) ?? []).map((part) => part.slice(1, -1))
    const inPath = Object.fromEntries(names.map((name, at) => [name, ids[at]]))
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(inPath[name]))
    const responses = []
    for (const body of examplesOf(operation.requestBody!.content))
      responses.push(await sendOne(method, url, body, { operationId, ids: inPath }))
    for (const { status, body } of responses) {
      expect([operationId, status, body.error]).toEqual([operationId, 200, undefined])
      expect(body.data.errors ?? []).toEqual([])
    }
    sent.add(operationId)
    return responses[0]?.body.data
  }

  const product = await send('products.create')
  await send('products.update', product.id)
  await send('products.bulk')
  await send('barcodes.add', product.id)
  await send('locations.create')
  await send('stock.setLevel', product.id)
  await send('stock.adjust')
  await send('stock.bulk')
  await send('stock.transfer')
  await send('products.checkBulk')
  await send('stock.checkBulk')
  await send('locations.update', 'A-01-03')
  await send('warehouses.create')
  await send('settings.update')
  await expect.poll(async () => (await tenant.request('GET', '/settings')).body.data.reservation_state).toBe('ready')
  const hold = await send('holds.create')
  await send('holds.update', hold.id)
  const delivery = await send('inbound.create')
  await send('inbound.update', delivery.id)
  const { receipt } = await send('inbound.receive', delivery.id)
  await tenant.request('DELETE', `/inbound/${delivery.id}/receipts/${receipt.id}`)
  await send('inbound.cancel', delivery.id)
  const back = await send('returns.create')
  await send('returns.update', back.id)
  const taken = await send('returns.receive', back.id)
  await tenant.request('DELETE', `/returns/${back.id}/receipts/${taken.receipt.id}`)
  await send('returns.cancel', back.id)
  const count = await send('counts.create')
  await send('counts.addEntry', count.id)
  await tenant.request('POST', `/counts/${count.id}/submit`)
  await send('counts.approve', count.id)
  const dropped = await tenant.request('POST', '/counts', { location_ids: ['A-01-03'] })
  await send('counts.cancel', dropped.body.data.id)
  const { orders } = await send('orders.create')
  await send('orders.update', orders[0].id)
  const flow = await send('flows.start')
  await send('flows.pick', flow.id)
  await send('flows.assign', flow.id)
  await send('flows.cancel', flow.id)
  const again = await tenant.request('POST', '/flows', { order_id: orders[0].id, operator_email: 'ada@example.com' })
  const path = `/flows/${again.body.data.id}`
  await tenant.request('POST', `${path}/picks`, { product_id: product.id, location_id: 'A-01-03', quantity: 1 })
  await tenant.request('POST', `${path}/complete`)
  const shipment = await send('shipments.create')
  await send('shipments.update', shipment.id)
  await send('shipments.cancel', shipment.id)
  const batch = await send('flowBatches.create')
  await send('flowBatches.cancel', batch.id)
  await send('orders.cancel', orders[0].id)
  await send('apiKeys.create')
  const operator = await send('operators.create')
  await send('operators.update', operator.id)
  await send('devices.createCode')
  const webhook = await send('webhooks.create')
  await send('webhooks.update', webhook.id)
  await send('webhooks.replay', webhook.id)
  await tenant.request('PUT', `/webhooks/${webhook.id}`, { url: 'http://127.0.0.1:1/' })
  await send('webhooks.test', webhook.id)
  expect([...sent].toSorted()).toEqual(withBody.map(({ operation }) => operation.operationId).toSorted())
}
