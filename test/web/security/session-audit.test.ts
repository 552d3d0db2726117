import { expect } from 'vitest'
import { it } from '../../support/it.ts'
import type { TestTenant } from '../../support/service.ts'
import { signedIn } from '../support/page-client.ts'

async function entries(tenant: TestTenant, filter = '') {
  return (await tenant.request('GET', `/audit-log${filter}`)).body.data.entries
}

it('the audit log tells the calls of the dashboard from those of keys, with their session', async ({ service, tenant }) => {
  await tenant.request('POST', '/products', { name: 'By key', barcode: 'key' })
  const client = await signedIn(service.url, tenant.key)
  const { id } = (await client.send('GET', '/dashboard/session')).body.data
  const created = await client.call('POST', '/products', { name: 'By hand', barcode: 'hand' }, { 'x-request-id': 'by-hand' })
  expect([created.status, created.headers['x-request-id']]).toEqual([200, 'by-hand'])
  const common = { address: '127.0.0.1', key_name: 'test key', key_id: expect.any(Number), operator_email: null, error: null }
  const [byHand, started, byKey] = await entries(tenant)
  expect(byHand).toMatchObject({
    ...common,
    operation: 'products.create',
    surface: 'dashboard',
    session_id: id,
    request_id: 'by-hand',
  })
  expect(started).toMatchObject({
    ...common,
    operation: 'sessions.start',
    surface: 'dashboard',
    session_id: id,
    input: { way: 'key' },
  })
  expect(byKey).toMatchObject({ ...common, operation: 'products.create', surface: 'api', session_id: null })
})

it('it holds each end of a session: by the sign-out, by another, for a new one', async ({ service, tenant }) => {
  const client = await signedIn(service.url, tenant.key)
  const idOf = async () => (await client.send('GET', '/dashboard/session')).body.data.id
  const ids = [await idOf()]
  await client.signIn({ key: tenant.key })
  ids.push(await idOf())
  await client.send('DELETE', '/dashboard/session')
  await client.signIn({ key: tenant.key })
  ids.push(await idOf())
  await tenant.request('DELETE', `/sessions/${ids[2]}`)
  const ended = await entries(tenant, '?operation=sessions.end')
  expect(ended.map(({ input, surface, session_id }: Record<string, unknown>) => ({ input, surface, session_id }))).toEqual([
    { input: { id: ids[2] }, surface: 'api', session_id: null },
    { input: { id: ids[1] }, surface: 'dashboard', session_id: ids[1] },
    { input: { id: ids[0] }, surface: 'dashboard', session_id: ids[0] },
  ])
  expect(await entries(tenant, '?operation=sessions.start')).toHaveLength(3)
})

it('it holds the end of the oldest of too many sessions of a key', async ({ service, tenant }) => {
  const first = await signedIn(service.url, tenant.key)
  const { id } = (await first.send('GET', '/dashboard/session')).body.data
  for (let i = 0; i < 50; i++) await signedIn(service.url, tenant.key)
  const ended = await entries(tenant, '?operation=sessions.end')
  expect(ended.map(({ input }: { input: object }) => input)).toEqual([{ id }])
})

it('can be read by surface and by operator', async ({ service, tenant }) => {
  await tenant.request('POST', '/products', { name: 'By key', barcode: 'key' })
  await signedIn(service.url, tenant.key)
  // Devices have operators; the dashboard has none.
  await service.db.dedicatedPool.query(
    `insert into audit_log (tenant_id, at, id, key_id, key_name, address, request_id, operation, input, surface, session_id, operator_email)
     values ($1, now(), gen_random_uuid(), 1, 'device', '10.0.0.1', 'r', 'flows.pick', '{}', 'scan', 1, 'ada@example.com')`,
    [tenant.id],
  )
  const operations = async (filter: string) =>
    (await entries(tenant, filter)).map(({ operation }: { operation: string }) => operation)
  expect(await operations('?surface=dashboard')).toEqual(['sessions.start'])
  expect(await operations('?surface=api')).toEqual(['products.create'])
  expect(await operations('?surface=scan')).toEqual(['flows.pick'])
  expect(await operations('?operator_email=ada@example.com')).toEqual(['flows.pick'])
  expect(await operations('?operator_email=bob@example.com')).toEqual([])
  const refused = await tenant.request('GET', '/audit-log?surface=web')
  expect([refused.status, refused.body.error.message]).toEqual([400, 'surface: must be api, dashboard, scan or mcp'])
})

it('the new columns cannot be changed either', async ({ service, tenant }) => {
  await signedIn(service.url, tenant.key)
  for (const column of ['surface', 'session_id', 'operator_email'])
    await expect(service.db.dedicatedPool.query(`update audit_log set ${column} = default`)).rejects.toThrow(/audit_log/)
})
