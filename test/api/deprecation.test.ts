import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Document } from '../../sdk/scripts/openapi-document.ts'
import { readOperations } from '../../sdk/scripts/read-operations.ts'
import { renderResources } from '../../sdk/scripts/render-resources.ts'
import { buildApp } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import { createEncryption } from '../../server/src/encryption.ts'
import { createLog } from '../../server/src/log.ts'
import { createMetrics } from '../../server/src/monitoring/metrics.ts'
import { openApiDocument } from '../../server/src/openapi/document.ts'
import { endpoint, router } from '../../server/src/trpc.ts'
import { Names } from '../../server/src/webhooks/index.ts'
import { send, startService, type TestService } from '../support/service.ts'

const LINK = 'https://docs.example.com/things'
const HEADERS = {
  deprecation: '@1798761600',
  sunset: 'Thu, 01 Jul 2027 00:00:00 GMT',
  link: `<${LINK}>; rel="deprecation"; type="text/html"`,
}
const count = z.object({ count: z.coerce.number().int().default(1) })

// No operation of the API is deprecated: one that is, beside one that is not and one whose end is not known.
const things = router({
  list: endpoint(
    'read:orders',
    { method: 'GET', path: '/things', summary: 'List things' },
    { deprecated: { since: '2027-01-01', sunset: '2027-07-01', link: LINK } },
  )
    .input(count)
    .output(count)
    .query(({ input }) => input),
  create: endpoint(
    'write:orders',
    { method: 'POST', path: '/things', summary: 'Create a thing' },
    { deprecated: { since: '2027-01-01', link: LINK } },
  )
    .input(count)
    .output(count)
    .mutation(({ input }) => input),
  get: endpoint('read:orders', { method: 'GET', path: '/things/{id}', summary: 'Get a thing' })
    .input(z.object({ id: z.coerce.number().int() }))
    .output(count)
    .query(({ input }) => ({ count: input.id })),
})
const withThings = router({ things })

let service: TestService
let app: Awaited<ReturnType<typeof buildApp>>
let url: string
let key: string
beforeAll(async () => {
  service = await startService()
  app = await buildApp({
    router: withThings,
    config: readConfig({ RATE_LIMIT_PER_MINUTE: '0' }),
    db: service.db,
    encryption: createEncryption('encryption key of the tests'),
    webhookTargets: { allowPrivateNetwork: true, requireHttps: false, names: new Names() },
    log: createLog('silent'),
    metrics: createMetrics(service.db),
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1`
  key = (await service.newTenant()).key
})
afterAll(async () => {
  await app.close()
  await service.stop()
})

describe('a deprecated operation says so', () => {
  const cases: [string, string, string, unknown, string | undefined, number][] = [
    ['in its answer', 'GET', '/things', undefined, 'admin', 200],
    ['to HEAD', 'HEAD', '/things', undefined, 'admin', 200],
    ['with a query that is refused', 'GET', '/things?count=x', undefined, 'admin', 400],
    ['without a key', 'GET', '/things', undefined, undefined, 401],
    ['without its scope', 'GET', '/things', undefined, 'read:stock', 403],
  ]
  it.each(cases)('%s', async (_, method, path, body, scope, status) => {
    const answer = await send(url + path, method, body, await keyWith(scope))
    expect(answer.status).toBe(status)
    expect(Object.fromEntries(answer.headers)).toMatchObject(HEADERS)
  })

  it('without a Sunset while its end is not known, also for a body that cannot be read', async () => {
    const response = await fetch(`${url}/things`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '{',
    })
    expect(response.status).toBe(400)
    expect(response.headers.get('deprecation')).toBe(HEADERS.deprecation)
    expect(response.headers.get('sunset')).toBeNull()
  })

  it('and lets pages of other origins read it', async () => {
    const answer = await send(`${url}/things`, 'GET', undefined, { key, headers: { origin: 'https://shop.example' } })
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/Deprecation, Sunset, Link/)
  })
})

it('an operation beside it says nothing', async () => {
  const answer = await send(`${url}/things/3`, 'GET', undefined, { key })
  expect(answer.body).toEqual({ success: true, data: { count: 3 } })
  expect(answer.headers.get('deprecation')).toBeNull()
})

it('the document marks it, names its end and the headers', () => {
  const { paths, components } = openApiDocument(withThings) as unknown as {
    paths: Record<string, Record<string, Record<string, unknown>>>
    components: { headers: object }
  }
  expect(paths['/things']?.get).toMatchObject({
    deprecated: true,
    'x-sunset': '2027-07-01',
    externalDocs: { url: LINK },
    description: `List things\n\nDeprecated since 2027-01-01; may be removed from 2027-07-01 on: see ${LINK}.\n\nScope: \`read:orders\`.`,
    responses: { 200: { headers: { Deprecation: {}, Sunset: {}, Link: {} } } },
  })
  expect(paths['/things']?.post).toMatchObject({ deprecated: true })
  expect(paths['/things']?.post).not.toHaveProperty('x-sunset')
  expect(paths['/things/{id}']?.get).not.toHaveProperty('deprecated')
  expect(Object.keys(components.headers)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']))
})

it('the SDK’s method is marked for editors', () => {
  const document = openApiDocument(withThings) as unknown as Document
  const text = renderResources(document, readOperations(document))
  expect(text.match(/@deprecated.*/g)).toEqual([
    `@deprecated Gone from 2027-07-01. What to use instead: ${LINK}`,
    `@deprecated Going to be removed. What to use instead: ${LINK}`,
  ])
})

async function keyWith(scope: string | undefined): Promise<{ key?: string }> {
  if (scope === undefined) return {}
  if (scope === 'admin') return { key }
  const tenant = await service.newTenant()
  return { key: await tenant.createKey({ scopes: [scope as 'read:stock'] }) }
}
