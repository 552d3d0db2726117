import { createHmac } from 'node:crypto'
import { describe, expect } from 'vitest'
import { it } from './support/it.ts'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { TOPICS } from '../support/topics.ts'
import { reserve } from '../support/reservations.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { countInState, deliveryWhen, subscribe, writeEvents } from './support/deliveries.ts'

const DAY_MS = 86_400_000

describe('a webhook request', () => {
  it('contains the event, signed over the exact bytes, with the headers of the API and of Standard Webhooks', async ({
    tenant,
    receiver,
    worker,
  }) => {
    const { secret } = await subscribe(tenant, receiver.url, ['product/created'])
    const created = await tenant.request('POST', '/products', { name: 'Näme ✓', barcode: 'b-1' })
    worker.wake()
    const [{ headers, body, event } = never()] = await receiver.count(1)

    expect(event).toMatchObject({ event: 'product/created', data: { product_id: created.body.data.id, name: 'Näme ✓' } })
    expect(Object.keys(event)).toEqual(['id', 'event', 'created_at', 'data'])
    expect((await tenant.request('GET', `/events/${event.id}`)).body.data).toEqual(event)

    const [, time = '', signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-webhook-signature'])) ?? []
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60)
    expect(signature).toBe(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const standard = createHmac('sha256', key).update(`${event.id}.${time}.${body}`).digest('base64')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/\w/),
      'x-webhook-id': event.id,
      'x-webhook-topic': 'product/created',
      'x-webhook-attempt': '1',
      'webhook-id': event.id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${standard}`,
    })
  })

  it('has the JSON that JSON.stringify writes, for every topic', async ({ tenant, receiver, worker }) => {
    const byName = ['reservation', 'inbound', 'return', 'count', 'shipment'].map((record) => `${record}/updated`)
    await subscribe(tenant, receiver.url, ['*', ...byName])
    const post = async (path: string, body: object) => (await tenant.request('POST', path, body)).body.data
    const { id } = await post('/products', { name: 'Tee "grün"\n\\', barcode: 'b', price: 0.1, minimum_threshold: 5 })
    await tenant.request('PUT', `/products/${id}`, { category: null, weight: 1e-7, cost: 12_345_678_901_234 })
    await tenant.request('PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 6.125 })
    const order = { assembly_date: '2026-12-01', order_detail: [{ barcode: 'b', quantity: 2 }] }
    await post('/orders', { orders: ['1', '2', '3'].map((name) => ({ ...order, order_tenant_id: name })) })
    for (const name of ['1', '2']) {
      const flow = await post('/flows', { order_tenant_id: name, operator_email: 'a@b.example' })
      await post(`/flows/${flow.id}/picks`, { barcode: 'b', location_id: 'A', quantity: 2 })
      await post(`/flows/${flow.id}/${name === '1' ? 'complete' : 'cancel'}`, {})
    }
    await post('/orders/3/cancel', {})
    await reserve(tenant, 'track')
    await post('/orders', { ...order, order_tenant_id: '4', order_detail: [{ barcode: 'b', quantity: 100 }] })
    const lines = [{ product_id: id, quantity: 0.5 }]
    await tenant.request('PUT', `/products/${id}`, { weighable: true })
    await post('/inbound', { lines, reference: '"\\', expected_at: '2026-12-01' })
    await post('/returns', { lines })
    await post('/counts', { location_ids: ['A'] })
    const packages = [{ lines: [{ barcode: 'b', quantity: 1 }], carrier: '"\\', tracking_url: 'https://a.example/"ü' }]
    await post('/shipments', { order_tenant_id: '1', packages })
    await tenant.request('DELETE', `/products/${id}`)
    worker.wake()
    const sent = await receiver.count(32)
    expect(new Set(sent.map(({ event }) => event.event)).size).toBe(TOPICS.length)
    for (const { body, event } of sent) expect(body).toBe(JSON.stringify(event))
  })

  it('has the documented headers', async ({ service, tenant, receiver, worker }) => {
    await subscribe(tenant, receiver.url, ['product/created'])
    await writeEvents(service, tenant, 1, 'product/created')
    worker.wake()
    const [{ headers } = never()] = await receiver.count(1)
    const { webhooks } = openApiDocument() as { webhooks: Record<string, { post: { parameters: { $ref: string }[] } }> }
    const documented = webhooks['product/created']?.post.parameters.map(({ $ref }) => $ref.split('/').at(-1)?.toLowerCase())
    expect(documented?.toSorted()).toEqual(
      Object.keys(headers)
        .filter((name) => name.includes('webhook'))
        .toSorted(),
    )
  })

  it('is only sent for subscribed topics, and only for the tenant’s events', async ({
    service,
    tenant,
    receiver,
    worker,
    startReceiver,
  }) => {
    const other = await service.newTenant()
    const all = await startReceiver()
    const { id } = await subscribe(tenant, receiver.url, ['order/created', 'product/deleted'])
    await subscribe(tenant, all.url)
    await writeEvents(service, tenant, 2, 'stock/updated')
    await writeEvents(service, tenant, 3, 'product/deleted')
    await writeEvents(service, other, 1, 'product/deleted')
    worker.wake()
    await all.count(5)
    await countInState(tenant, id, 'succeeded', 3)
    expect(receiver.received.map(({ event }) => event.event)).toEqual(['product/deleted', 'product/deleted', 'product/deleted'])
    expect(all.received).toHaveLength(5)
  })

  it('has the same id for every subscriber and attempt, and the number of the attempt in a header', async ({
    service,
    tenant,
    receiver,
    worker,
    startReceiver,
  }) => {
    const second = await startReceiver()
    const { id } = await subscribe(tenant, receiver.url)
    await subscribe(tenant, second.url)
    receiver.behave(
      (request, response) => void response.writeHead(request.headers['x-webhook-attempt'] === '1' ? 500 : 204).end(),
    )
    const [eventId] = await writeEvents(service, tenant, 1)
    worker.wake()
    await deliveryWhen(tenant, id, ({ state, attempt_count }) => state === 'pending' && attempt_count === 1)
    worker.advance(6_001)
    const attempts = await receiver.count(2)
    await second.count(1)
    expect([...attempts, ...second.received].map(({ event }) => event.id)).toEqual([eventId, eventId, eventId])
    expect(attempts.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '2'])
    expect(attempts.map(({ body }) => body)).toEqual([second.received[0]?.body, second.received[0]?.body])
  })

  it('is not sent for events before the subscription', async ({ service, tenant, receiver, startReceiver, startWorker }) => {
    const first = await startReceiver()
    await subscribe(tenant, first.url)
    await writeEvents(service, tenant, 1)
    const { id } = await subscribe(tenant, receiver.url)
    const [later] = await writeEvents(service, tenant, 1)
    startWorker()
    await first.count(2)
    await countInState(tenant, id, 'succeeded', 1)
    expect(receiver.received.map(({ event }) => event.id)).toEqual([later])
  })

  it('is signed with the new secret only if the old one cannot be decrypted', async ({ service, tenant, receiver, worker }) => {
    const { id } = await subscribe(tenant, receiver.url)
    await service.db.dedicatedPool.query('update webhook_subscriptions set secret_ciphertext = $1 where id = $2', [
      createEncryption('the key of before').encrypt('whsec_of_before'),
      id,
    ])
    await writeEvents(service, tenant, 1)
    worker.wake()
    const { last_error } = await deliveryWhen(tenant, id, ({ attempt_count }) => attempt_count === 1)
    expect(last_error).toMatch(/ENCRYPTION_KEY/)
    expect(receiver.received).toEqual([])

    const { secret } = (await tenant.request('POST', `/webhooks/${id}/rotate-secret`)).body.data
    await writeEvents(service, tenant, 1)
    worker.advance(6_001)
    const [{ headers, body } = never()] = await receiver.count(1)
    const [time, ...signatures] = String(headers['x-webhook-signature']).split(',')
    expect(signatures).toEqual([
      `v1=${createHmac('sha256', secret)
        .update(`${time?.slice(2)}.${body}`)
        .digest('hex')}`,
    ])
  })

  it('is also signed with the old secret for 24 hours after a rotation', async ({ service, tenant, receiver, worker }) => {
    const { id, secret: old } = await subscribe(tenant, receiver.url)
    const rotated = await tenant.request('POST', `/webhooks/${id}/rotate-secret`)
    await writeEvents(service, tenant, 1)
    worker.wake()
    await receiver.count(1)
    worker.clock.advance(DAY_MS + 60_000)
    await writeEvents(service, tenant, 1)
    worker.wake()
    const [during = never(), after = never()] = await receiver.count(2)

    const [time, ...signatures] = String(during.headers['x-webhook-signature']).split(',')
    const expected = [rotated.body.data.secret, old].map((secret) =>
      createHmac('sha256', secret)
        .update(`${time?.slice(2)}.${during.body}`)
        .digest('hex'),
    )
    expect(signatures).toEqual(expected.map((signature) => `v1=${signature}`))
    expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2)
    expect(String(after.headers['x-webhook-signature']).split(',')).toHaveLength(2)
  })

  it('is signed with every former secret for 24 hours after its replacement', async ({ service, tenant, receiver, worker }) => {
    const { id, secret: first } = await subscribe(tenant, receiver.url)
    const rotate = async (): Promise<string> => (await tenant.request('POST', `/webhooks/${id}/rotate-secret`)).body.data.secret
    /** Sends a request and returns the secrets that signed it. */
    const signers = async (secrets: string[]): Promise<string[]> => {
      const count = receiver.received.length
      await writeEvents(service, tenant, 1)
      worker.wake()
      const { headers, body } = (await receiver.count(count + 1))[count] ?? never()
      const [time, ...signatures] = String(headers['x-webhook-signature']).split(',')
      const signed = (secret: string) =>
        createHmac('sha256', secret)
          .update(`${time?.slice(2)}.${body}`)
          .digest('hex')
      const known = new Map(secrets.map((secret) => [`v1=${signed(secret)}`, secret]))
      return signatures.map((signature) => known.get(signature) ?? never())
    }
    const pass = async (hours: number): Promise<void> => {
      for (const [table, column, key] of [
        ['webhook_subscriptions', 'previous_secret_expires_at', 'id'],
        ['webhook_former_secrets', 'expires_at', 'subscription_id'],
      ])
        await service.db.dedicatedPool.query(
          `update ${table} set ${column} = ${column} - $2 * interval '1 hour' where ${key} = $1`,
          [id, hours],
        )
    }
    const all = [first]
    for (let count = 0; count < 3; count++) {
      all.unshift(await rotate())
      await pass(6)
    }
    // Replaced 18, 12 and 6 hours ago.
    expect(await signers(all)).toEqual(all)
    await pass(7)
    expect(await signers(all)).toEqual(all.slice(0, 3))
    all.unshift(await rotate())
    expect(await signers(all)).toEqual(all.slice(0, 4))
  })

  it('is signed with at most 10 former secrets: a further rotation is rejected', async ({
    service,
    tenant,
    receiver,
    worker,
  }) => {
    const { id } = await subscribe(tenant, receiver.url)
    const rotate = () => tenant.request('POST', `/webhooks/${id}/rotate-secret`)
    for (let count = 0; count < 10; count++) expect((await rotate()).status).toBe(200)
    const { status, body } = await rotate()
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
    expect(body.error.message).toContain('10 times within 24 hours')
    await writeEvents(service, tenant, 1)
    worker.wake()
    const [{ headers } = never()] = await receiver.count(1)
    expect(String(headers['x-webhook-signature']).split(',v1=')).toHaveLength(12)
  })
})

function never(): never {
  throw new Error('nothing arrived')
}
