import { describe, expect } from 'vitest'
import { it } from '../support/it.ts'
import { sendRaw } from '../support/send-raw.ts'
import { freePort } from '../support/free-port.ts'
import { send, type TestService } from '../support/service.ts'

const ORIGIN = { origin: 'https://shop.example' }

async function refusal(service: TestService, method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const response = await fetch(service.url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  const { error } = (await response.json()) as { error: { code: string } }
  return { status: response.status, code: error.code, allow: response.headers.get('allow'), headers: response.headers }
}

describe('an unknown route', () => {
  const NOT_ALLOWED = { status: 405, code: 'method_not_allowed', allow: 'POST, GET, HEAD' }

  it('returns 404 or 405 with any body', async ({ service }) => {
    const json = { 'content-type': 'application/json' }
    expect(await refusal(service, 'PATCH', '/api/v1/orders', json, '{bad')).toMatchObject(NOT_ALLOWED)
    expect(await refusal(service, 'PATCH', '/api/v1/orders', { 'content-type': 'text/plain' }, 'x')).toMatchObject(NOT_ALLOWED)
    expect(await refusal(service, 'PUT', '/api/v1/orders', json, 'x'.repeat(5_500_000))).toMatchObject(NOT_ALLOWED)
    expect(await refusal(service, 'QUERY', '/api/v1/orders')).toMatchObject(NOT_ALLOWED)
    expect(await refusal(service, 'POST', '/nothing', { 'content-type': 'text/plain' }, 'x')).toMatchObject({
      status: 404,
      code: 'not_found',
      allow: null,
    })
  })

  it('returns an error that pages of other origins can read', async ({ service }) => {
    for (const path of ['/api/v1/orders', '/nothing']) {
      const { headers } = await refusal(service, 'DELETE', path, ORIGIN)
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it.for([
    ['POST', '/openapi.json'],
    ['POST', '/docs'],
    ['DELETE', '/docs/start.js'],
    ['POST', '/docs/assets/swagger-ui.css'],
    ['PUT', '/healthz'],
    ['DELETE', '/readyz'],
    ['POST', '/metrics'],
    ['OPTIONS', '/docs'],
  ] as const)('%s %s: names the methods of the path', async ([method, path], { service }) => {
    expect(await refusal(service, method, path)).toMatchObject({ ...NOT_ALLOWED, allow: 'GET, HEAD' })
  })

  it('is any file that does not belong to the reference page', async ({ service }) => {
    expect((await fetch(`${service.url}/docs/assets/swagger-ui.css`)).headers.get('cache-control')).toContain('max-age=86400')
    for (const file of ['package.json', 'index.html', '..%2fpackage.json', '']) {
      expect(await refusal(service, 'GET', `/docs/assets/${file}`)).toMatchObject({ status: 404, code: 'not_found' })
    }
  })
})

describe('OPTIONS', () => {
  it('without preflight headers is handled like any other method', async ({ service }) => {
    for (const headers of ['', 'access-control-request-method: POST\r\n', 'origin: https://shop.example\r\n']) {
      const response = await sendRaw(service.url, `OPTIONS /api/v1/orders HTTP/1.1\r\n${headers}connection: close\r\n\r\n`)
      expect(response).toMatch(/^HTTP\/1\.1 405 [^]*allow: POST, GET, HEAD\r\n[^]*"code":"method_not_allowed"/)
    }
  })

  it('as a preflight is accepted for any path', async ({ service }) => {
    for (const path of ['/api/v1/orders', '/nothing']) {
      const headers = { ...ORIGIN, 'access-control-request-method': 'POST' }
      expect((await fetch(service.url + path, { method: 'OPTIONS', headers })).status).toBe(204)
    }
  })
})

describe('on the monitoring port', () => {
  it('an unknown route returns the same error', async ({ startService }) => {
    const monitoringPort = await freePort()
    await startService({ monitoringPort })
    const monitoring = `http://127.0.0.1:${monitoringPort}`
    const headers = { 'x-request-id': 'probe-1' }
    const unknown = await send(`${monitoring}/nothing`, 'POST', {}, { headers })
    expect([unknown.status, unknown.headers.get('x-request-id')]).toEqual([404, 'probe-1'])
    expect(unknown.body).toMatchObject({ success: false, error: { code: 'not_found' } })
    const known = await send(`${monitoring}/healthz`, 'PUT', undefined, { headers })
    expect([known.status, known.headers.get('allow'), known.headers.get('x-request-id')]).toEqual([405, 'GET, HEAD', 'probe-1'])
    expect(known.body).toMatchObject({ success: false, error: { code: 'method_not_allowed' } })
    const ready = await send(`${monitoring}/readyz`, 'GET', undefined, { headers })
    expect([ready.status, ready.headers.get('x-request-id')]).toEqual([200, 'probe-1'])
    expect(await sendRaw(monitoring, 'GARBAGE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [^]*"code":"validation_error"/)
  })
})
