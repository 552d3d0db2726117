import { expect } from 'vitest'
import { it as base } from '../../support/it.ts'
import { send } from '../../support/service.ts'
import { PageClient } from '../support/page-client.ts'

// Behind a proxy that ends TLS.
const it = base.extend('settings', { scope: 'file' }, { publicUrl: 'https://stock.example', trustProxy: 1 })

const PATHS = [
  '/dashboard',
  '/dashboard/orders',
  '/dashboard/assets/a.js',
  '/dashboard/session',
  '/dashboard/api/v1/orders',
  '/scan',
  '/dashboard/nothing.js',
]

it.for(['stock.example', 'STOCK.example', 'stock.example:443'])('pages answer at %s', async (host, { service, tenant }) => {
  const client = new PageClient(service.url, { host, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' })
  const { status, body } = await client.signIn({ key: tenant.key })
  expect([status, body.data.public_url]).toEqual([200, 'https://stock.example'])
  expect((await client.call('GET', '/sessions')).body.data.sessions[0].address).toBe('203.0.113.9')
})

it.for([
  'localhost',
  '127.0.0.1:3000',
  'stock.example:80',
  'stock.example:8443',
  'evil.stock.example',
  'stock.example.',
  'stock.example/x',
  'a@stock.example',
])('pages refuse the Host %s', async (host, { service }) => {
  for (const path of PATHS) expect((await new PageClient(service.url, { host }).send('GET', path)).status, path).toBe(403)
})

it('the Origin must be the public one where Sec-Fetch-Site is missing', async ({ service, tenant }) => {
  const client = new PageClient(service.url, { host: 'stock.example', 'sec-fetch-site': undefined })
  const signIn = async (origin: string) => (await client.signIn({ key: tenant.key }, { origin })).status
  expect(await signIn('https://stock.example')).toBe(200)
  for (const origin of ['http://stock.example', 'https://stock.example:8443', 'https://localhost', service.url])
    expect(await signIn(origin), origin).toBe(403)
})

it('the API answers at any Host', async ({ service, tenant }) => {
  expect((await send(`${service.url}/api/v1/orders`, 'GET', undefined, { key: tenant.key })).status).toBe(200)
})
