import { describe, expect } from 'vitest'
import { it } from '../../support/it.ts'
import { postMessage, toolRequest } from '../../support/agent.ts'
import { send } from '../../support/service.ts'

const listed = it.extend('settings', { scope: 'file' }, { corsOrigins: ['https://agents.example'] })

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})

describe('a message', () => {
  it.for([
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
  ] as const)('initialize with revision %s agrees on %s, and offers tools alone', async ([asked, agreed], { tenant }) => {
    const { status, body, headers } = await postMessage(tenant, initialize(asked), tenant)
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null])
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 'first', result: { protocolVersion: agreed, capabilities: { tools: {} } } })
    expect(Object.keys(body.result.capabilities)).toEqual(['tools'])
  })

  it('is served in each revision and without naming one; another one is a validation_error', async ({ tenant }) => {
    for (const revision of ['2025-06-18', '2025-11-25', undefined]) {
      const headers: Record<string, string> = revision === undefined ? {} : { 'mcp-protocol-version': revision }
      expect((await postMessage(tenant, PING, { ...tenant, headers })).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    }
    for (const revision of ['2025-03-26', '2026-07-28', '']) {
      const { status, body } = await postMessage(tenant, PING, { ...tenant, headers: { 'mcp-protocol-version': revision } })
      expect([status, body]).toMatchObject([400, { success: false, error: { code: 'validation_error' } }])
    }
  })

  it('is answered with 202 and nothing when it is a notification', async ({ tenant }) => {
    const { status, body } = await postMessage(tenant, { jsonrpc: '2.0', method: 'notifications/initialized' }, tenant)
    expect([status, body]).toEqual([202, undefined])
  })

  it.for([
    ['an object', {}],
    ['a batch', [PING]],
    ['no object', 'ping'],
    ['of another version', { ...PING, jsonrpc: '1.0' }],
    ['without a body', undefined],
  ] as const)('is a validation_error in the envelope when it is no message of JSON-RPC: %s', async ([, message], { tenant }) => {
    const { status, body } = await postMessage(tenant, message, tenant)
    const error = { code: 'validation_error', message: 'The body must be one JSON-RPC message; a batch is not accepted' }
    expect([status, body]).toEqual([400, { success: false, error }])
  })

  it('has an error of JSON-RPC for a method that is not there, and for arguments that are no object', async ({ tenant }) => {
    const unknown = await postMessage(tenant, { jsonrpc: '2.0', id: 7, method: 'resources/list' }, tenant)
    expect([unknown.status, unknown.body]).toMatchObject([200, { id: 7, error: { code: -32_601 } }])
    const wrong = await postMessage(tenant, toolRequest('orders_list', [] as never), tenant)
    expect([wrong.status, wrong.body]).toMatchObject([200, { error: { code: -32_602 } }])
  })

  it.for([
    ['initialize', undefined],
    ['initialize', { protocolVersion: 1, capabilities: {}, clientInfo: { name: 'test', version: '1' } }],
    ['tools/list', { cursor: 1 }],
    ['tools/call', {}],
  ] as const)('has an error of JSON-RPC for wrong parameters: %s %j', async ([method, params], { tenant }) => {
    const { status, body } = await postMessage(tenant, { jsonrpc: '2.0', id: 7, method, params }, tenant)
    const error = { code: -32_602, message: `The params of ${method} are wrong` }
    expect([status, body]).toEqual([200, { jsonrpc: '2.0', id: 7, error }])
  })

  it.for(['GET', 'DELETE', 'PUT'] as const)('cannot be sent with %s', async (method, { service }) => {
    const { status, headers, body } = await send(`${service.url}/mcp`, method, undefined, {})
    expect([status, headers.get('allow'), body.error.code]).toEqual([405, 'POST', 'method_not_allowed'])
  })

  it('has the security headers and the request id of the API', async ({ tenant }) => {
    const { headers } = await postMessage(tenant, PING, { ...tenant, headers: { 'x-request-id': 'mine' } })
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-request-id': 'mine',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-frame-options': 'DENY',
    })
  })
})

describe('the key', () => {
  it('comes as a Bearer token or in X-API-Key, which wins', async ({ tenant }) => {
    const { key } = tenant
    for (const authorization of [`Bearer ${key}`, `bearer ${key}`])
      expect((await postMessage(tenant, PING, { headers: { authorization } })).status).toBe(200)
    const both = { 'x-api-key': `service_live_${'x'.repeat(43)}`, authorization: `Bearer ${key}` }
    expect((await postMessage(tenant, PING, { headers: both })).body).toMatchObject({ error: { code: 'invalid_api_key' } })
    const other = { 'x-api-key': key, authorization: 'Bearer nothing' }
    expect((await postMessage(tenant, PING, { headers: other })).status).toBe(200)
  })

  it.for([
    ['missing_api_key', {}],
    ['missing_api_key', { authorization: 'Basic eDp5' }],
    ['invalid_api_key', { authorization: 'Bearer service_live_short' }],
  ] as const)('is needed for every message: %s %j', async ([code, headers], { service }) => {
    const { status, headers: sent, body } = await postMessage(service, PING, { headers })
    expect([status, body.error.code, sent.get('www-authenticate')]).toEqual([401, code, 'Bearer'])
  })

  it('as a Bearer token is none for the rest of the API', async ({ service, tenant }) => {
    const headers = { authorization: `Bearer ${tenant.key}` }
    for (const path of ['/api/v1/orders', '/trpc/orders.list']) {
      const { status, headers: sent } = await send(`${service.url}${path}`, 'GET', undefined, { headers })
      expect([path, status, sent.get('www-authenticate')]).toEqual([path, 401, null])
    }
  })

  it('is refused from an address that is not on its allow-list', async ({ tenant }) => {
    const key = await tenant.createKey({ ip_whitelist: ['10.0.0.0/8'] })
    const { status, body } = await postMessage(tenant, PING, { key })
    expect([status, body.error.code]).toEqual([403, 'ip_not_allowed'])
  })
})

describe('a page in a browser', () => {
  it('may call from every origin by default, as the rest of the API, and needs a key', async ({ tenant }) => {
    const headers = { origin: 'https://evil.example', host: 'evil.example' }
    const { status, headers: sent } = await postMessage(tenant, PING, { ...tenant, headers })
    expect([status, sent.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect((await postMessage(tenant, PING, { headers })).status).toBe(401)
  })

  it('has no session here: cookies of the pages are not read', async ({ service, tenant }) => {
    const page = { 'x-page': 'dashboard', 'sec-fetch-site': 'same-origin' }
    const signedIn = await send(`${service.url}/dashboard/session`, 'POST', { key: tenant.key }, { headers: page })
    const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    expect(cookie).toContain('=')
    const { status, body } = await postMessage(service, PING, { headers: { ...page, cookie } })
    expect([status, body.error.code]).toEqual([401, 'missing_api_key'])
    expect((await send(`${service.url}/dashboard/mcp`, 'POST', PING, { headers: { ...page, cookie } })).status).toBe(405)
  })

  listed('may call from the origins of CORS_ORIGIN alone', async ({ service }) => {
    const tenant = await service.newTenant()
    const from = (origin: string) => postMessage(tenant, PING, { ...tenant, headers: { origin } })
    expect((await from('https://agents.example')).status).toBe(200)
    for (const origin of ['https://evil.example', 'null', 'http://agents.example']) {
      const { status, body } = await from(origin)
      expect([origin, status, body.error.code]).toEqual([origin, 403, 'origin_not_allowed'])
    }
  })
})
