import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect } from 'vitest'
import { agentOf, type Agent } from '../support/agent.ts'
import { it as base } from '../support/it.ts'
import { runCommand } from './run-command.ts'

const COMMAND = fileURLToPath(new URL('../../server/bin/fulfillment.js', import.meta.url))
const LIST = { jsonrpc: '2.0', id: 'list', method: 'tools/list' }
const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'orders_list', arguments: {} } }
const lines = (...messages: unknown[]): string => messages.map((message) => `${JSON.stringify(message)}\n`).join('')

type Start = (env: Record<string, string>, ...options: string[]) => Promise<Agent>

/** Listens on this machine; returns the origin and a function that ends it. */
async function listen(listener: RequestListener): Promise<{ url: string; close: () => void }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() }
}

/**
 * `start` runs the command as a client of the protocol does, `proxy` a server that passes on the posts to one path, and `site` one that
 * responds to everything with the same body.
 */
const it = base
  .extend('site', async ({}, { onCleanup }) => async (body: string, status = 200): Promise<string> => {
    const { url, close } = await listen((_request, response) => void response.writeHead(status).end(body))
    onCleanup(close)
    return url
  })
  .extend('proxy', async ({}, { onCleanup }) => async (path: string, target: string): Promise<string> => {
    const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { 'x-api-key': key, 'content-type': type } = request.headers as Record<string, string>
      const headers = { 'x-api-key': key, 'content-type': type }
      const passed = await fetch(target, { method: 'POST', headers, body: await text(request) })
      response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text())
    }
    const { url, close } = await listen((request, response) => {
      if (request.url === path) void passOn(request, response)
      else response.writeHead(404).end()
    })
    onCleanup(close)
    return url
  })
  .extend('start', async ({}, { onCleanup }): Promise<Start> => {
    const started: Agent[] = []
    onCleanup(async () => {
      await Promise.all(started.map((agent) => agent.close()))
    })
    return async (env, ...options) => {
      const client = new Client({ name: 'test', version: '1' })
      const args = [COMMAND, 'mcp', ...options]
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args, env: { PATH: process.env.PATH ?? '', ...env } }),
      )
      const agent = agentOf(client)
      started.push(agent)
      return agent
    }
  })

describe('fulfillment mcp', () => {
  it('serves the tools of the server to a client that starts it', async ({ service, tenant, start }) => {
    const agent = await start({ FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: tenant.key })
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'fulfillment' })
    const { id } = (await agent.call('products_create', { name: 'Tea', barcode: 'tea', sku: 'T-1' })) as unknown as { id: number }
    expect((await tenant.request('GET', `/products/${id}`)).body.data).toMatchObject({ name: 'Tea' })
    expect(await agent.call('products_list')).toMatchObject({ products: [{ id, external_id: 'T-1' }] })
    expect(await agent.failure('orders_get', { id: 1 })).toEqual({ code: 'not_found', message: 'Order not found' })
    await expect(agent.client.callTool({ name: 'none', arguments: {} })).rejects.toMatchObject({ code: -32_602 })
  })

  it('has the tools that its options leave', async ({ service, tenant, start }) => {
    const env = { FULFILLMENT_API_KEY: tenant.key }
    const agent = await start(env, '--url', service.url, '--read-only', '--tools', 'orders,stock')
    const { tools } = await agent.client.listTools()
    expect(tools.length).toBeGreaterThan(5)
    for (const { name, annotations } of tools)
      expect([name, annotations?.readOnlyHint]).toEqual([expect.stringMatching(/^(orders|stock)_/), true])
  })

  it('ends with its input, when everything is answered, and writes nothing but messages', async ({ service, tenant }) => {
    const env = { FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: tenant.key }
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const { exitCode, stdout, stderr } = await runCommand(['mcp'], env, `${lines(notification, CALL)}\nnonsense\n${lines(LIST)}`)
    expect([exitCode, stderr]).toEqual([0, ''])
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } })
    expect(messages.map(({ id }) => id).toSorted()).toEqual([7, 'list', null].toSorted())
    expect(messages.find(({ id }) => id === null)?.error?.code).toBe(-32_700)
  })

  it('takes line separators of Unicode for text: JSON may contain them', async ({ service, tenant }) => {
    const env = { FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: tenant.key }
    const params = { name: 'products_create', arguments: { name: 'Green\u2028tea\u2029100 g', barcode: 'tea' } }
    const { stdout } = await runCommand(['mcp'], env, lines({ ...CALL, params }))
    expect(JSON.parse(stdout)).toMatchObject({ id: 7, result: { structuredContent: { name: params.arguments.name } } })
  })

  it.for(['/stock', '/stock/', '/stock/api/v1'])(
    'keeps the path prefix of a server at %s',
    async (path, { service, tenant, proxy }) => {
      const url = await proxy('/stock/mcp', `${service.url}/mcp`)
      const env = { FULFILLMENT_URL: url + path, FULFILLMENT_API_KEY: tenant.key }
      const { stdout } = await runCommand(['mcp'], env, lines(CALL))
      expect(JSON.parse(stdout)).toMatchObject({ id: 7, result: { structuredContent: { orders: [] } } })
    },
  )

  it.for([[[LIST]], [{ id: 7, method: 'tools/list' }], [{ jsonrpc: '2.0', id: 7 }], ['tools/list'], [7], [null]])(
    'says that %j is no message',
    async ([line], { service, tenant }) => {
      const env = { FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: tenant.key }
      const { exitCode, stdout } = await runCommand(['mcp'], env, lines(line))
      expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { id: null, error: { code: -32_600 } }])
    },
  )

  it('says that a request is none, as the server sees it', async ({ service, tenant }) => {
    const env = { FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: tenant.key }
    const { stdout } = await runCommand(['mcp'], env, lines({ ...LIST, params: [] }))
    expect(JSON.parse(stdout)).toMatchObject({ id: 'list', error: { code: -32_600, data: { code: 'validation_error' } } })
  })

  it('makes a result of a failure that a model can read, and an error of any other', async ({ service }) => {
    const refused = await runCommand(['mcp'], { FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: 'wrong' }, lines(CALL, LIST))
    const [called, listed] = refused.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const failure = { code: 'invalid_api_key', message: 'The API key is unknown or revoked' }
    expect([called, listed].find(({ id }) => id === 7).result).toEqual({
      isError: true,
      content: [{ type: 'text', text: JSON.stringify(failure) }],
    })
    expect([called, listed].find(({ id }) => id === 'list').error).toMatchObject({ data: failure })
  })

  it('says that a server is out of reach, and goes on when it is back', async ({ startProcess, startService, start }) => {
    const service = await startService()
    const tenant = await service.newTenant()
    const agent = await start({ FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: tenant.key })
    await service.stopServer()
    expect(await agent.failure('orders_list')).toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining(`${service.url} is out of reach`),
    })
    await startProcess({ DATABASE_URL: service.databaseUrl, PORT: new URL(service.url).port })
    expect(await agent.call('orders_list')).toMatchObject({ orders: [] })
  })

  it.for([
    ['a page', '<!doctype html><title>Sign in</title>'],
    ['nothing', ''],
    ['JSON of something else', '{"ok":true}'],
  ] as const)('says that the address is not that of a server when it responds with %s', async ([, body], { site }) => {
    const url = await site(body)
    const { stdout } = await runCommand(['mcp'], { FULFILLMENT_URL: url, FULFILLMENT_API_KEY: 'key' }, lines(CALL))
    const failure = { code: 'service_unavailable', message: `${url} responded with no message of the protocol; check the URL` }
    expect(JSON.parse(stdout || 'null')).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: { isError: true, content: [{ type: 'text', text: JSON.stringify(failure) }] },
    })
  })

  it.for(['{"error":"Unauthorized"}', '{"error":{"message":"Unauthorized"}}', '{"error":null}', 'null', '[]', '"Unauthorized"'])(
    'reports the status of a failure that is not one of the API: %s',
    async (body, { site }) => {
      const url = await site(body, 401)
      const env = { FULFILLMENT_URL: url, FULFILLMENT_API_KEY: 'key' }
      const { exitCode, stdout, stderr } = await runCommand(['mcp'], env, lines(LIST))
      const failure = { code: 'service_unavailable', message: `${url} responded with status 401` }
      expect([exitCode, stderr, JSON.parse(stdout || 'null')]).toMatchObject([0, '', { id: 'list', error: { data: failure } }])
    },
  )

  it.for([
    ['FULFILLMENT_API_KEY', 'API key 5\nservice_live_x', 'holds white space or other characters that no key has'],
    [
      'FULFILLMENT_URL',
      'localhost:3000',
      'must be an http(s) address such as https://fulfillment.example.com, not "localhost:3000"',
    ],
    ['FULFILLMENT_URL', 'https://ada:secret@127.0.0.1:1', 'must not contain a user name or password'],
  ] as const)('refuses what no request can be made of, and does not show it: %s=%j', async ([name, value, problem]) => {
    const env = { FULFILLMENT_URL: 'http://127.0.0.1:1', FULFILLMENT_API_KEY: 'key', [name]: value }
    const option = name === 'FULFILLMENT_URL' ? '--url' : name
    expect(await runCommand(['mcp'], env, lines(CALL))).toEqual({ exitCode: 1, stdout: '', stderr: `${option}: ${problem}\n` })
  })

  it('needs a key', async () => {
    const { exitCode, stdout, stderr } = await runCommand(['mcp'], {}, lines(CALL))
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toContain('FULFILLMENT_API_KEY: is not set')
  })
})
