import type { AddressInfo } from 'node:net'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import type { Document } from '../../sdk/scripts/openapi-document.ts'
import { readOperations } from '../../sdk/scripts/read-operations.ts'
import { renderResources } from '../../sdk/scripts/render-resources.ts'
import { buildApp } from '@fulfillment/server/app.ts'
import { readConfig } from '@fulfillment/server/config.ts'
import { Shards } from '@fulfillment/server/shards/shards.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { createLog } from '@fulfillment/server/runtime/log.ts'
import { createMetrics } from '@fulfillment/server/monitoring/metrics.ts'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { endpoint } from '@fulfillment/server/procedures/endpoint.ts'
import { slice } from '@fulfillment/server/procedures/slice.ts'
import { HostNameResolver } from '@fulfillment/server/delivery/index.ts'
import { it as base } from '../support/it.ts'
import { send, type TestTenant } from '../support/service.ts'

const LINK = 'https://docs.example.com/things'
const HEADERS = {
  deprecation: '@1798761600',
  sunset: 'Thu, 01 Jul 2027 00:00:00 GMT',
  link: `<${LINK}>; rel="deprecation"; type="text/html"`,
}
const count = z.object({ count: z.coerce.number().int().default(1) })

// No operation of the API is deprecated. These are: one deprecated with a sunset, one without, and one that is not deprecated.
const THINGS = [
  slice({
    tags: [{ name: 'things', description: 'Things.' }],
    endpoints: [
      endpoint({
        name: 'things.list',
        scope: 'read:orders',
        method: 'GET',
        path: '/things',
        summary: 'List things',
        description: 'All of them.',
        deprecated: { since: '2027-01-01', sunset: '2027-07-01', link: LINK },
        input: count,
        output: count,
        run: async (_context, input) => input,
      }),
      endpoint({
        name: 'things.create',
        scope: 'write:orders',
        method: 'POST',
        path: '/things',
        summary: 'Create a thing',
        description: 'One.',
        deprecated: { since: '2027-01-01', link: LINK },
        input: count,
        output: count,
        run: async (_context, input) => input,
      }),
      endpoint({
        name: 'things.get',
        scope: 'read:orders',
        method: 'GET',
        path: '/things/{id}',
        summary: 'Get a thing',
        description: 'By its id.',
        input: z.object({ id: z.coerce.number().int() }),
        output: count,
        run: async (_context, { id }) => ({ count: id }),
      }),
    ],
  }),
]

/** `url` is the address of an API with these operations. */
const it = base.extend('url', { scope: 'file' }, async ({ service }, { onCleanup }) => {
  const app = await buildApp({
    slices: THINGS,
    config: readConfig({ RATE_LIMIT_PER_MINUTE: '0' }),
    shards: new Shards(service.db),
    encryption: createEncryption('encryption key of the tests'),
    webhookTargets: { allowPrivateNetwork: true, requireHttps: false, names: new HostNameResolver() },
    log: createLog('silent'),
    metrics: createMetrics(new Shards(service.db), THINGS),
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onCleanup(() => app.close())
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1`
})

describe('a deprecated operation has the headers Deprecation and Link', () => {
  const cases: [string, string, string, unknown, string | undefined, number][] = [
    ['in its response', 'GET', '/things', undefined, 'admin', 200],
    ['to HEAD', 'HEAD', '/things', undefined, 'admin', 200],
    ['with a query that is refused', 'GET', '/things?count=x', undefined, 'admin', 400],
    ['without a key', 'GET', '/things', undefined, undefined, 401],
    ['without its scope', 'GET', '/things', undefined, 'read:stock', 403],
  ]
  it.for(cases)('%s', async ([, method, path, body, scope, status], { url, tenant }) => {
    const response = await send(url + path, method, body, await keyWith(tenant, scope))
    expect(response.status).toBe(status)
    expect(Object.fromEntries(response.headers)).toMatchObject(HEADERS)
  })

  it('without Sunset if its end is not known, also for an unreadable body', async ({ url, tenant }) => {
    const response = await fetch(`${url}/things`, {
      method: 'POST',
      headers: { 'x-api-key': tenant.key, 'content-type': 'application/json' },
      body: '{',
    })
    expect(response.status).toBe(400)
    expect(response.headers.get('deprecation')).toBe(HEADERS.deprecation)
    expect(response.headers.get('sunset')).toBeNull()
  })

  it('which pages of other origins can read', async ({ url, tenant }) => {
    const response = await send(`${url}/things`, 'GET', undefined, {
      key: tenant.key,
      headers: { origin: 'https://shop.example' },
    })
    expect(response.headers.get('access-control-expose-headers')).toMatch(/Deprecation, Sunset, Link/)
  })
})

it('other operations do not have the headers', async ({ url, tenant }) => {
  const response = await send(`${url}/things/3`, 'GET', undefined, tenant)
  expect(response.body).toEqual({ success: true, data: { count: 3 } })
  expect(response.headers.get('deprecation')).toBeNull()
})

it('the document marks the operation as deprecated, with its end and the headers', () => {
  const { paths, components } = openApiDocument(THINGS) as unknown as {
    paths: Record<string, Record<string, Record<string, unknown>>>
    components: { headers: object }
  }
  expect(paths['/things']?.get).toMatchObject({
    deprecated: true,
    'x-sunset': '2027-07-01',
    externalDocs: { url: LINK },
    description: `All of them.\n\nDeprecated since 2027-01-01; may be removed from 2027-07-01 on: see ${LINK}.\n\nScope: \`read:orders\`.`,
    responses: { 200: { headers: { Deprecation: {}, Sunset: {}, Link: {} } } },
  })
  expect(paths['/things']?.post).toMatchObject({ deprecated: true })
  expect(paths['/things']?.post).not.toHaveProperty('x-sunset')
  expect(paths['/things/{id}']?.get).not.toHaveProperty('deprecated')
  expect(Object.keys(components.headers)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']))
})

it('the SDK’s method is marked as deprecated', () => {
  const document = openApiDocument(THINGS) as unknown as Document
  const text = renderResources(document, readOperations(document))
  expect(text.match(/@deprecated.*/g)).toEqual([
    `@deprecated Gone from 2027-07-01. What to use instead: ${LINK}`,
    `@deprecated Going to be removed. What to use instead: ${LINK}`,
  ])
})

async function keyWith(tenant: TestTenant, scope: string | undefined): Promise<{ key?: string }> {
  if (scope === undefined) return {}
  if (scope === 'admin') return tenant
  return { key: await tenant.createKey({ scopes: [scope as 'read:stock'] }) }
}
