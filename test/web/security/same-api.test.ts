import { expect } from 'vitest'
import { it } from '../../support/it.ts'
import { sendRaw } from '../../support/send-raw.ts'

const ORIGIN = 'Origin: https://a.example\r\n'

/** Requests of every kind that the API gets, as text. */
const requests = (key: string): string[] => {
  const auth = `X-API-Key: ${key}\r\n`
  const body = (text: string): string =>
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  return [
    `GET /api/v1/products HTTP/1.1\r\nHost: any.example\r\n${auth}${ORIGIN}`,
    `GET /api/v1/products?limit=1&page=2 HTTP/1.1\r\nHost: a\r\n${auth}Cookie: dashboard=1.a\r\nSec-Fetch-Site: cross-site\r\n`,
    `HEAD /api/v1/products HTTP/1.1\r\nHost: a\r\n${auth}`,
    `GET /api/v1/orders/17 HTTP/1.1\r\nHost: a\r\n${auth}X-Page: dashboard\r\n`,
    `GET /api/v1/orders HTTP/1.1\r\nHost: a\r\nCookie: dashboard=1.a\r\n`,
    `GET /api/v1/nothing HTTP/1.1\r\nHost: a\r\n${auth}`,
    `PUT /api/v1/products HTTP/1.1\r\nHost: a\r\n${auth}`,
    `OPTIONS /api/v1/products HTTP/1.1\r\nHost: a\r\n${ORIGIN}Access-Control-Request-Method: POST\r\n`,
    `OPTIONS /api/v1/products HTTP/1.1\r\nHost: a\r\n`,
    `GET /trpc/products.list?input={} HTTP/1.1\r\nHost: a\r\n${auth}`,
    `GET /openapi.json HTTP/1.1\r\nHost: a\r\n`,
    `GET /docs HTTP/1.1\r\nHost: a\r\n`,
    `GET /dashboards HTTP/1.1\r\nHost: a\r\n`,
    `GET /readyz HTTP/1.1\r\nHost: a\r\n`,
    `POST /api/v1/stock/adjustment HTTP/1.1\r\nHost: a\r\n${auth}Connection: close\r\n${body('{"product_id":1}')}`,
    `POST /api/v1/products HTTP/1.1\r\nHost: a\r\n${auth}Content-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  ].map((text) => (text.includes('\r\n\r\n') ? text : `${text}Connection: close\r\n\r\n`))
}

/** Without what is different in every response. */
const steady = (response: string): string =>
  response.replaceAll(/^(date|x-request-id): .*\r\n/gim, '').replaceAll(/request id [\w-]+/g, 'request id')

it('the API is the same with pages and without, to the byte', async ({ service, startService, tenant }) => {
  const without = await startService({ pages: false, databaseUrl: service.databaseUrl })
  await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' })
  for (const text of requests(tenant.key)) {
    const [line] = text.split('\r\n')
    const expected = steady(await sendRaw(without.url, text))
    expect(expected, line).toMatch(/^HTTP\/1\.1 \d{3} /)
    expect(steady(await sendRaw(service.url, text)), line).toBe(expected)
  }
})
