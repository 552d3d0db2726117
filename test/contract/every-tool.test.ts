import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect } from 'vitest'
import { type Scope, SCOPES } from '@fulfillment/server/procedures/context.ts'
import type { Endpoint } from '@fulfillment/server/procedures/endpoint.ts'
import { proceduresOf } from '@fulfillment/server/procedures/procedures.ts'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { SLICES } from '@fulfillment/server/slices.ts'
import { type Agent, connectAgent } from '../support/agent.ts'
import { it as base } from '../support/it.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { CHECKS, createRecords, SAMPLES, sampleOf, type Records } from './requests.ts'
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

/** `filled` is a tenant with its records and an agent, the tools that this is shown, and further agents of the tenant. */
const it = base.extend('filled', { scope: 'file' }, async ({ service }, { onCleanup }) => {
  const tenant = await service.newTenant()
  const records = await createRecords(tenant)
  const agent = await connectAgent(tenant)
  const { tools } = await agent.client.listTools()
  const agents: Agent[] = [agent]
  const listed = new Map<string, Promise<{ agent: Agent; names: string[] }>>()
  onCleanup(async () => {
    for (const one of agents) await one.close()
  })
  /** An agent with a key of exactly these scopes, and the names of the tools that it is shown: reading the list costs more than a call. */
  const agentWith = (scopes: Scope[]): Promise<{ agent: Agent; names: string[] }> => {
    const connect = async () => {
      const agent = await connectAgent({ url: tenant.url, key: await tenant.createKey({ scopes }) })
      agents.push(agent)
      return { agent, names: (await agent.client.listTools()).tools.map(({ name }) => name) }
    }
    const known = listed.get(scopes.join()) ?? connect()
    listed.set(scopes.join(), known)
    return known
  }
  return { tenant, records, agent, tools, agentWith }
})

it('every operation is a tool, in the order of the document, but those that open doors or move where events go', async ({
  filled,
}) => {
  const { tools } = filled
  expect(tools.map(({ name }) => name)).toEqual(toolNames)
  expect(tools.map(({ name }) => name)).not.toContain('settings_update')
  expect(tools.filter(({ name }) => /^(apiKeys|operators|devices|sessions)_|webhooks_(?!list$|get)/.test(name))).toEqual([
    expect.objectContaining({ name: 'webhooks_deliveries' }),
  ])
})

/** What came of a change by an agent, of a tenant of its own. */
interface Called {
  tenant: TestTenant
  agent: Agent
  args: Record<string, unknown>
  result: Awaited<ReturnType<Agent['client']['callTool']>>
}

const called = new Map<string, Promise<Called>>()

/** Calls a tool that changes something once, with `idempotency_key`. */
function callOnce(service: TestService, endpoint: Endpoint): Promise<Called> {
  const calling = called.get(endpoint.name) ?? callAsNewTenant(service, endpoint)
  called.set(endpoint.name, calling)
  return calling
}

async function callAsNewTenant(service: TestService, endpoint: Endpoint): Promise<Called> {
  const tenant = await service.newTenant()
  const args = { ...toolArguments(endpoint, await sampleOf(tenant, endpoint.name)), idempotency_key: 'once' }
  const agent = await connectAgent(tenant)
  return { tenant, agent, args, result: await agent.client.callTool({ name: toolOf(endpoint), arguments: args }) }
}

const toolOf = ({ name }: Endpoint): string => name.replace('.', '_')

const argumentsOf = (endpoint: Endpoint, records: Records): Record<string, unknown> =>
  toolArguments(endpoint, SAMPLES[endpoint.name]?.(records) ?? { path: endpoint.path })

// They wait for the first delivery of a webhook, together.
describe.concurrent.each(offered)('$name', (endpoint) => {
  const { name, method, path, scope } = endpoint
  const tool = toolOf(endpoint)

  it('its result fits its schema, is the same in text, and has no secret', async ({ service, filled }) => {
    const call = async () => {
      const args = argumentsOf(endpoint, filled.records)
      return { args, result: await filled.agent.client.callTool({ name: tool, arguments: args }) }
    }
    const { args, result } = method === 'GET' ? await call() : await callOnce(service, endpoint)
    const { inputSchema, outputSchema = {} } = filled.tools.find((one) => one.name === tool)!
    expect(ajv.validate(inputSchema, args), ajv.errorsText()).toBe(true)
    const { content, structuredContent, isError } = result
    expect([isError, content]).toEqual([undefined, [{ type: 'text', text: JSON.stringify(structuredContent) }]])
    expect(ajv.validate(outputSchema, structuredContent), ajv.errorsText()).toBe(true)
    expect(JSON.stringify(structuredContent)).not.toMatch(SECRET)
  })

  it('is listed for a key with exactly its scope, and refused to one without', async ({ filled }) => {
    expect((await filled.agentWith([scope])).names).toContain(tool)
    const lacking = await filled.agentWith(SCOPES.filter((granted) => granted !== scope && granted !== 'admin'))
    expect(lacking.names).not.toContain(tool)
    const { code, message } = await lacking.agent.failure(tool, argumentsOf(endpoint, filled.records))
    expect([code, message]).toEqual(['insufficient_scope', `This API key lacks the scope ${scope}`])
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
  it('is in the audit log as a call of an agent, and is executed once for an idempotency_key', async ({ service }) => {
    const tool = toolOf(endpoint)
    const { tenant, agent, args, result } = await callOnce(service, endpoint)
    const { idempotency_key, ...others } = args
    expect(await agent.call(tool, { idempotency_key, ...others })).toEqual(result.structuredContent)
    const isKept = !CHECKS.has(endpoint.name)
    if (isKept) expect(await agent.failure(tool, { ...args, id: 123_456 })).toMatchObject({ code: 'idempotency_conflict' })
    const { body } = await tenant.request('GET', `/audit-log?surface=mcp&operation=${endpoint.name}`)
    const entry = { operation: endpoint.name, surface: 'mcp', key_name: 'test key', error: null }
    expect(body.data.entries).toMatchObject(isKept ? [entry] : [])
    await agent.close()
  })
})
