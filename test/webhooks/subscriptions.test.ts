import { describe, expect } from 'vitest'
import { it } from './support/it.ts'
import { subscribe } from './support/deliveries.ts'

const url = 'https://receiver.example/hook'
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

describe('a subscription', () => {
  it('is created with a secret that is shown once', async ({ service, tenant }) => {
    const { status, body } = await tenant.request('POST', '/webhooks', {
      name: '  ERP ',
      url,
      events: ['order/created', 'order/created', 'stock/updated'],
    })
    expect(status).toBe(200)
    expect(Object.keys(body.data)).toEqual(['id', 'name', 'url', 'events', 'secret', 'active', 'created_at'])
    expect(body.data).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      name: 'ERP',
      url,
      events: ['order/created', 'stock/updated'],
      active: true,
    })
    expect(body.data.secret).toMatch(SECRET)
    const { secret, ...shown } = body.data
    const listed = await tenant.request('GET', '/webhooks')
    expect(listed.body.data.webhooks).toEqual([expect.objectContaining(shown)])
    expect(JSON.stringify(listed.body)).not.toContain('whsec_')
    const { body: got } = await tenant.request('GET', `/webhooks/${body.data.id}`)
    expect(got.data).toEqual({
      ...shown,
      updated_at: shown.created_at,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
    })
    const { rows } = await service.db.dedicatedPool.query('select * from webhook_subscriptions where tenant_id = $1', [tenant.id])
    expect(JSON.stringify(rows[0])).not.toContain(Buffer.from(secret).toString('hex'))
    expect(String(rows[0].secret_ciphertext)).not.toContain(secret)
  })

  it.for([
    [{ events: [] }, 'events'],
    [{ events: ['*', 'order/created'] }, 'events'],
    [{ events: ['order/unknown'] }, 'events'],
    [{ events: 'order/created' }, 'events'],
    [{ events: undefined }, 'events'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: undefined }, 'name'],
    [{ url: undefined }, 'url'],
    [{ url: 'receiver.example' }, 'url'],
    [{ url: 'ftp://receiver.example' }, 'url'],
    [{ url: 'https://user@receiver.example' }, 'url'],
    [{ url: 'https://user:secret@receiver.example' }, 'url'],
    [{ url: 'https://' }, 'url'],
    [{ url: `https://receiver.example/${'x'.repeat(2048)}` }, 'url'],
    [{ url: 'https://receiver.example:99999' }, 'url'],
    [{ url: 'javascript:alert(1)' }, 'url'],
    [{ url: 'https:receiver.example' }, 'url'],
    [{ url: 'https:///receiver.example' }, 'url'],
    [{ url: 'https://receiver.example/a\r\nb' }, 'url'],
    [{ url: 'https://receiver.example\\a' }, 'url'],
  ] as const)('is refused with %j', async ([change, field], { tenant }) => {
    const { status, body } = await tenant.request('POST', '/webhooks', { name: 'ERP', url, events: ['*'], ...change })
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
    expect(body.error.message).toContain(field)
  })

  it('can be changed field by field', async ({ tenant }) => {
    const { id } = await subscribe(tenant, url, ['*'])
    const put = async (changes: object) => (await tenant.request('PUT', `/webhooks/${id}`, changes)).body.data
    const before = await put({})
    expect(before.updated_at).toBe(before.created_at)
    expect(await put({ name: 'New' })).toMatchObject({ name: 'New', url, events: ['*'], active: true })
    expect(await put({ url: 'http://other.example', events: ['flow/started'] })).toMatchObject({
      name: 'New',
      url: 'http://other.example',
      events: ['flow/started'],
    })
    expect(await put({ active: false })).toMatchObject({
      active: false,
      disabled_reason: 'paused',
      disabled_at: expect.any(String),
    })
    expect(await put({ active: true })).toMatchObject({ active: true, disabled_reason: null, disabled_at: null })
    for (const bad of [{ name: null }, { events: ['nothing'] }, { url: 'gopher://x' }, { active: 'yes' }]) {
      expect((await tenant.request('PUT', `/webhooks/${id}`, bad)).status).toBe(400)
    }
  })

  it('is deleted permanently', async ({ tenant }) => {
    const { id } = await subscribe(tenant, url)
    expect((await tenant.request('DELETE', `/webhooks/${id}`)).body.data).toEqual({ message: expect.any(String), webhook_id: id })
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/rotate-secret'],
      ['POST', '/test'],
    ] as const) {
      const { status, body } = await tenant.request(
        method,
        `/webhooks/${id}${path}`,
        method === 'GET' || method === 'DELETE' ? undefined : {},
      )
      expect([status, body.error.code], `${method} ${path}`).toEqual([404, 'not_found'])
    }
  })

  it('gets a new secret on rotation', async ({ tenant }) => {
    const { id, secret } = await subscribe(tenant, url)
    const { body } = await tenant.request('POST', `/webhooks/${id}/rotate-secret`)
    expect(body.data).toEqual({ id, secret: expect.stringMatching(SECRET), previous_secret_expires_at: expect.any(String) })
    expect(body.data.secret).not.toBe(secret)
    expect(Date.parse(body.data.previous_secret_expires_at) - Date.now()).toBeGreaterThan(86_390_000)
  })

  it.for(['0', '-1', 'abc', '1.5', '01', '9007199254740993', '99999999999999999999', '%00', 'x'.repeat(300)])(
    'is not found under the id %s',
    async (id, { tenant }) => {
      const { status, body } = await tenant.request('GET', `/webhooks/${id}`)
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    },
  )
})

describe('scopes', () => {
  it.for([
    ['GET', '/webhooks', 'read:webhooks'],
    ['GET', '/webhooks/1', 'read:webhooks'],
    ['GET', '/webhooks/1/deliveries', 'read:webhooks'],
    ['GET', '/events', 'read:webhooks'],
    ['GET', '/events/evt_1', 'read:webhooks'],
    ['POST', '/webhooks', 'write:webhooks'],
    ['PUT', '/webhooks/1', 'write:webhooks'],
    ['DELETE', '/webhooks/1', 'write:webhooks'],
    ['POST', '/webhooks/1/rotate-secret', 'write:webhooks'],
    ['POST', '/webhooks/1/test', 'write:webhooks'],
    ['POST', '/webhooks/1/replay', 'write:webhooks'],
    ['POST', '/webhooks/deliveries/dlv_1_evt_1/retry', 'write:webhooks'],
  ] as const)('%s %s needs %s', async ([method, path, scope], { tenant }) => {
    const key = await tenant.createKey({ scopes: [scope === 'read:webhooks' ? 'write:webhooks' : 'read:webhooks'] })
    const { status, body } = await tenant.request(method, path, undefined, { key })
    expect([status, body.error.code]).toEqual([403, 'insufficient_scope'])
    expect(body.error.message).toContain(scope)
  })
})
