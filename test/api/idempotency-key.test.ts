import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { it } from '../support/shared-service.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { atMost } from '../support/patience.ts'

describe('Idempotency-Key', () => {
  it('returns the first response again, and executes the call once', async ({ tenant }) => {
    const body = { name: 'once', preset: 'read_only' }
    const headers = { 'idempotency-key': 'create-1' }
    const first = await tenant.request('POST', '/api-keys', body, { headers })
    const second = await tenant.request('POST', '/api-keys', body, { headers })
    expect(second.body).toEqual(first.body)
    expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([null, 'true'])
    expect((await tenant.request('GET', '/api-keys')).body.data.api_keys).toHaveLength(2)
  })

  it('rejects the key with a different request, and accepts it again after a failure', async ({ tenant }) => {
    const headers = { 'idempotency-key': 'create-2' }
    const failed = await tenant.request('POST', '/api-keys', { name: '', preset: 'read_only' }, { headers })
    expect(failed.status).toBe(400)
    expect((await tenant.request('POST', '/api-keys', { name: 'b', preset: 'read_only' }, { headers })).status).toBe(200)
    const conflict = await tenant.request('POST', '/api-keys', { name: 'c', preset: 'read_only' }, { headers })
    expect([conflict.status, conflict.body.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('returns the conflict for another request also if that is invalid', async ({ tenant }) => {
    const headers = { 'idempotency-key': 'create-3' }
    expect((await tenant.request('POST', '/api-keys', { name: 'a', preset: 'read_only' }, { headers })).status).toBe(200)
    const conflict = await tenant.request('POST', '/api-keys', { name: '' }, { headers })
    expect([conflict.status, conflict.body.error.code]).toEqual([409, 'idempotency_conflict'])
    const { entries } = (await tenant.request('GET', '/audit-log?operation=apiKeys.create')).body.data
    expect(entries).toHaveLength(1)
  })

  it('is rejected if the stored response cannot be decrypted, without a second execution', async ({ service, tenant }) => {
    const headers = { 'idempotency-key': 'unreadable' }
    const body = { name: 'once', preset: 'read_only' }
    await tenant.request('POST', '/api-keys', body, { headers })
    await service.db.kysely
      .updateTable('idempotency_keys')
      .set({ answer_ciphertext: createEncryption('the encryption key of before').encrypt('{}') })
      .where('tenant_id', '=', tenant.id)
      .execute()
    const again = await tenant.request('POST', '/api-keys', body, { headers })
    expect([again.status, again.body.error.code, again.headers.get('retry-after')]).toEqual([409, 'idempotency_conflict', null])
    expect(again.body.error.message).toContain('another key')
    expect((await tenant.request('GET', '/api-keys')).body.data.api_keys).toHaveLength(2)
  })

  it('is scoped to the tenant', async ({ service }) => {
    const [one, other] = [await service.newTenant(), await service.newTenant()]
    const headers = { 'idempotency-key': 'shared' }
    const body = { name: 'mine', preset: 'read_only' }
    const first = await one.request('POST', '/api-keys', body, { headers })
    const second = await other.request('POST', '/api-keys', body, { headers })
    expect(second.status).toBe(200)
    expect(second.body.data.key).not.toBe(first.body.data.key)
  })

  it('executes the call once for 10 concurrent requests', async ({ tenant }) => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () =>
        tenant.request('POST', '/api-keys', { name: 'rush', preset: 'read_only' }, { headers: { 'idempotency-key': 'rush' } }),
      ),
    )
    const running = responses.filter((response) => response.status === 409)
    expect(responses.filter((response) => response.status === 200).length).toBe(10 - running.length)
    for (const { headers, body } of running)
      expect([body.error.code, headers.get('retry-after')]).toEqual(['idempotency_conflict', '1'])
    expect((await tenant.request('GET', '/api-keys')).body.data.api_keys).toHaveLength(2)
  })

  it('does not block others while a called receiver does not respond', async ({ tenant, startReceiver }) => {
    const { url, close } = await startReceiver(() => {})
    const { id } = (await tenant.request('POST', '/webhooks', { name: 'slow', url, events: ['*'] })).body.data
    const test = (key: string) => tenant.request('POST', `/webhooks/${id}/test`, {}, { headers: { 'idempotency-key': key } })
    // As many as a subscription may have in flight.
    const underWay = Array.from({ length: 10 }, (_, n) => test(`slow-${n}`))
    await delay(500)
    const again = await test('slow-0')
    expect([again.status, again.body.error.code, again.headers.get('retry-after')]).toEqual([409, 'idempotency_conflict', '1'])
    const startedAt = performance.now()
    expect((await tenant.request('POST', '/products/bulk', { products: [] })).status).toBe(200)
    expect((await tenant.request('POST', '/stock/bulk', { updates: [] })).status).toBe(200)
    expect((await tenant.request('GET', '/stock/reconcile')).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(atMost(2_000))
    await close()
    const responses = await Promise.all(underWay)
    expect(responses.map(({ status, body }) => [status, body.data.state])).toEqual(responses.map(() => [200, 'failed']))
    const replayed = await test('slow-0')
    expect([replayed.headers.get('idempotency-replayed'), replayed.body]).toEqual(['true', responses[0]?.body])
    const other = await tenant.request('POST', '/warehouses', { name: 'a' }, { headers: { 'idempotency-key': 'slow-0' } })
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('leaves no subscription when its response cannot be stored', async ({ service, tenant, startReceiver }) => {
    const { url } = await startReceiver()
    const create = () =>
      tenant.request('POST', '/webhooks', { name: 'once', url, events: ['*'] }, { headers: { 'idempotency-key': 'subscribe' } })
    // As a crash, or a full disk, just before the response is stored.
    await sql`create function refuse_response() returns trigger language plpgsql as $$
      begin raise disk_full; end $$`.execute(service.db.kysely)
    await sql`create trigger refuse_response before insert or update on idempotency_keys for each row
      when (new.tenant_id = ${sql.lit(tenant.id)} and octet_length(new.answer_ciphertext) > 0) execute function refuse_response()`.execute(
      service.db.kysely,
    )
    try {
      expect((await create()).status).toBe(503)
    } finally {
      await sql`drop function refuse_response cascade`.execute(service.db.kysely)
    }
    const made = await create()
    expect([made.status, made.headers.get('idempotency-replayed')]).toEqual([200, null])
    const { webhooks } = (await tenant.request('GET', '/webhooks')).body.data
    expect(webhooks.map(({ id }: { id: string }) => id)).toEqual([made.body.data.id])
  })

  it('must have 1 to 255 characters', async ({ tenant }) => {
    for (const key of ['', 'x'.repeat(256)]) {
      const response = await tenant.request(
        'POST',
        '/api-keys',
        { name: 'a', preset: 'read_only' },
        { headers: { 'idempotency-key': key } },
      )
      expect([response.status, response.body.error.code]).toEqual([400, 'validation_error'])
    }
  })

  it('has characters, not bytes, in either encoding', async ({ tenant }) => {
    const create = (key: string) =>
      tenant.request('POST', '/warehouses', { name: 'North' }, { headers: { 'idempotency-key': key } })
    const asUtf8 = (text: string): string => Buffer.from(text).toString('latin1')
    const key = 'é'.repeat(255)
    expect((await create(asUtf8(key))).status).toBe(200)
    for (const same of [asUtf8(key), key]) expect((await create(same)).headers.get('idempotency-replayed')).toBe('true')
    expect((await create(asUtf8(`${key}é`))).status).toBe(400)
    expect((await create(asUtf8('📦'.repeat(255)))).status).toBe(200)
  })

  it('stores no key or secret in plain text', async ({ service, tenant }) => {
    const { body } = await tenant.request(
      'POST',
      '/api-keys',
      { name: 'a', preset: 'read_only' },
      { headers: { 'idempotency-key': 'secret' } },
    )
    const stored = await service.db.kysely.selectFrom('idempotency_keys').selectAll().where('tenant_id', '=', tenant.id).execute()
    expect(stored).toHaveLength(1)
    expect(stored[0]?.answer_ciphertext.toString('latin1')).not.toContain(body.data.key)
  })
})
