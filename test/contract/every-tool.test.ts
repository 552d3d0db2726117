import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect } from 'vitest'
import { SCOPES } from '@fulfillment/server/procedures/context.ts'
import { proceduresOf } from '@fulfillment/server/procedures/procedures.ts'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { SLICES } from '@fulfillment/server/slices.ts'
import { connectAgent } from '../support/agent.ts'
import { it as base } from '../support/it.ts'
import { CHECKS, createRecords, SAMPLES, type Records } from './requests.ts'
import { toolArguments } from './tool-arguments.ts'

/** The operations that agents have, by the rule of the tools, not by the code that applies it. */
const { endpoints } = proceduresOf(SLICES)
const NO_TOOLS = /^\/(api-keys|operators|devices|sessions)(\/|$)/
const NO_WRITING_TOOLS = /^\/(webhooks|settings)(\/|$)/
const offered = endpoints.filter(({ path, method }) => !NO_TOOLS.test(path) && (method === 'GET' || !NO_WRITING_TOOLS.test(path)))
const toolNames = Object.values(openApiDocument().paths as Record<string, Record<string, { operationId: string }>>)
  .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  .filter((id) => offered.some(({ name }) => name === id))
  .map((id) => id.replace('.', '_'))

/** What no response may contain, whoever asks: keys, signing secrets and badges. */
const SECRET = /service_(live|test)_[\w-]{20}|whsec_|"FB-\d|password/

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

/** `filled` is a tenant with its records and an agent. */
const it = base.extend('filled', { scope: 'file' }, async ({ service }, { onCleanup }) => {
  const tenant = await service.newTenant()
  const records = await createRecords(tenant)
  const agent = await connectAgent(tenant)
  onCleanup(() => agent.close())
  return { tenant, records, agent }
})

it('every operation is a tool, in the order of the document, but those that open doors or move where events go', async ({
  filled,
}) => {
  const { tools } = await filled.agent.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(toolNames)
  expect(tools.map(({ name }) => name)).not.toContain('settings_update')
  expect(tools.filter(({ name }) => /^(apiKeys|operators|devices|sessions)_|webhooks_(?!list$|get)/.test(name))).toEqual([
    expect.objectContaining({ name: 'webhooks_deliveries' }),
  ])
})

// They wait for the first delivery of a webhook, together.
describe.concurrent.each(offered)('$name', (endpoint) => {
  const { name, method, path, scope } = endpoint
  const tool = name.replace('.', '_')
  const argumentsFor = (records: Records) => toolArguments(endpoint, SAMPLES[name]?.(records) ?? { path })

  it('its result fits its schema, is the same in text, and has no secret', async ({ service, filled }) => {
    const { tenant, records } = method === 'GET' ? filled : { tenant: await service.newTenant(), records: undefined }
    const agent = method === 'GET' ? filled.agent : await connectAgent(tenant)
    const args = argumentsFor(records ?? (await createRecords(tenant)))
    const { tools } = await agent.client.listTools()
    const { inputSchema, outputSchema = {} } = tools.find((one) => one.name === tool)!
    expect(ajv.validate(inputSchema, args), ajv.errorsText()).toBe(true)
    const { content, structuredContent, isError } = await agent.client.callTool({ name: tool, arguments: args })
    expect([isError, content]).toEqual([undefined, [{ type: 'text', text: JSON.stringify(structuredContent) }]])
    expect(ajv.validate(outputSchema, structuredContent), ajv.errorsText()).toBe(true)
    expect(JSON.stringify(structuredContent)).not.toMatch(SECRET)
    if (method !== 'GET') await agent.close()
  })

  it('is listed for a key with exactly its scope, and refused to one without', async ({ filled }) => {
    const { url, createKey } = filled.tenant
    const able = await connectAgent({ url, key: await createKey({ scopes: [scope] }) })
    expect((await able.client.listTools()).tools.map(({ name }) => name)).toContain(tool)
    const lacking = SCOPES.filter((granted) => granted !== scope && granted !== 'admin')
    const unable = await connectAgent({ url, key: await createKey({ scopes: lacking }) })
    expect((await unable.client.listTools()).tools.map(({ name }) => name)).not.toContain(tool)
    const { code, message } = await unable.failure(tool, argumentsFor(filled.records))
    expect([code, message]).toEqual(['insufficient_scope', `This API key lacks the scope ${scope}`])
    await Promise.all([able.close(), unable.close()])
  })

  it('neither shows nor changes data of another tenant', async ({ filled, tenant }) => {
    const sample = SAMPLES[name]?.(filled.records) ?? { path }
    const other = await connectAgent(tenant)
    const result = await other.client.callTool({ name: tool, arguments: toolArguments(endpoint, sample) })
    const text = JSON.stringify(result)
    expect(text).not.toContain(filled.records.product.sku)
    expect(text).not.toContain(filled.records.order.order_tenant_id)
    const { asOther = 'not_found' } = sample
    if (asOther === 'own') expect(result.isError).toBe(undefined)
    if (asOther === 'not_found')
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('"code":"not_found"') }] })
    await other.close()
  })
})

describe.concurrent.each(offered.filter(({ method }) => method !== 'GET'))('$name', (endpoint) => {
  it('is in the audit log as a call of an agent, and is executed once for an idempotency_key', async ({ tenant }) => {
    const tool = endpoint.name.replace('.', '_')
    const args = toolArguments(endpoint, SAMPLES[endpoint.name]?.(await createRecords(tenant)) ?? endpoint)
    const agent = await connectAgent(tenant)
    const first = await agent.call(tool, { ...args, idempotency_key: 'once' })
    expect(await agent.call(tool, { idempotency_key: 'once', ...args })).toEqual(first)
    expect(await agent.failure(tool, { ...args, id: 123_456, idempotency_key: 'once' })).toMatchObject({
      code: 'idempotency_conflict',
    })
    const { body } = await tenant.request('GET', `/audit-log?surface=mcp&operation=${endpoint.name}`)
    const entry = { operation: endpoint.name, surface: 'mcp', key_name: 'test key', error: null }
    expect(body.data.entries).toMatchObject(CHECKS.has(endpoint.name) ? [] : [entry])
    await agent.close()
  })
})
