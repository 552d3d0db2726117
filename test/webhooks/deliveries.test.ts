import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EVENT_DATA, EVENT_SAMPLES, TOPICS } from '../../server/src/events/index.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { countInState, deliveriesOf, startApi, startWorker, subscribe, writeEvents, type Worker } from './support/deliveries.ts'
import { answerWith, closedPort, startReceiver, type Receiver } from './support/receiver.ts'

let service: TestService
let worker: Worker
let tenant: TestTenant
let receiver: Receiver
beforeAll(async () => {
  service = await startApi()
  worker = startWorker(service)
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
})
beforeEach(async () => {
  tenant = await service.newTenant()
  receiver = await startReceiver()
  return () => receiver.close()
})

describe('the list of deliveries', () => {
  it('is paged, the newest event first, and filtered by state and topic', async () => {
    const { id } = await subscribe(tenant, receiver.url)
    const first = await writeEvents(service, tenant, 3, 'product/created')
    worker.wake()
    await countInState(tenant, id, 'succeeded', 3)
    receiver.behave(answerWith(500))
    const second = await writeEvents(service, tenant, 2, 'product/deleted')
    worker.wake()
    await receiver.count(5)
    await countInState(tenant, id, 'pending', 2)
    const ids = async (query: string) => (await deliveriesOf(tenant, id, query)).map(({ event_id }) => event_id)
    expect(await ids('')).toEqual([...first, ...second].toReversed())
    expect(await ids('&state=pending')).toEqual(second.toReversed())
    expect(await ids('&state=failed')).toEqual([])
    expect(await ids('&event=product/created')).toEqual(first.toReversed())
    expect(await ids('&event=product/created&state=pending')).toEqual([])
    const page = await tenant.request('GET', `/webhooks/${id}/deliveries?limit=2&page=2`)
    expect(page.body.data.deliveries.map(({ event_id }: { event_id: string }) => event_id)).toEqual([first[2], first[1]])
    expect(page.body.data.pagination).toEqual({ total: 5, page: 2, limit: 2, total_pages: 3 })
    for (const query of ['state=lost', 'event=nothing', 'page=0']) {
      expect((await tenant.request('GET', `/webhooks/${id}/deliveries?${query}`)).status).toBe(400)
    }
  })

  it('shows every attempt of a delivery', async () => {
    receiver.behave(answerWith(503, {}, 'busy'))
    const { id } = await subscribe(tenant, receiver.url)
    const [event_id] = await writeEvents(service, tenant, 1)
    worker.wake()
    await receiver.count(1)
    await countInState(tenant, id, 'pending', 1)
    const [delivery] = await deliveriesOf(tenant, id)
    expect(delivery).toEqual({
      id: expect.any(String),
      event_id,
      event: 'product/deleted',
      webhook_id: id,
      state: 'pending',
      attempt_count: 1,
      next_attempt_at: expect.any(String),
      last_status: 503,
      last_error: expect.any(String),
      created_at: expect.any(String),
      completed_at: null,
      attempts: [
        {
          number: 1,
          trigger: 'schedule',
          started_at: expect.any(String),
          duration_ms: expect.any(Number),
          response_status: 503,
          response_body: 'busy',
          error: expect.any(String),
        },
      ],
    })
  })
})

describe('a retry by hand', () => {
  it('is refused for what is no delivery of the tenant', async () => {
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    await countInState(tenant, id, 'succeeded', 1)
    const [delivery] = await deliveriesOf(tenant, id)
    const other = await service.newTenant()
    for (const [caller, deliveryId] of [
      [other, delivery.id],
      [tenant, 'dlv_1_evt_unknown'],
      [tenant, `dlv_99999999999999999999_${delivery.event_id}`],
      [tenant, 'nothing'],
      [tenant, '%00'],
    ] as const) {
      const { status, body } = await caller.request('POST', `/webhooks/deliveries/${deliveryId}/retry`)
      expect([status, body.error.code], deliveryId).toEqual([404, 'not_found'])
    }
    await tenant.request('DELETE', `/webhooks/${id}`)
    expect((await tenant.request('POST', `/webhooks/deliveries/${delivery.id}/retry`)).status).toBe(404)
  })

  it('of what is in flight sends it only once', async () => {
    receiver.behave(() => {})
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    const [{ response } = never()] = await receiver.count(1)
    const [delivery] = await deliveriesOf(tenant, id)
    const { status, body } = await tenant.request('POST', `/webhooks/deliveries/${delivery.id}/retry`)
    expect([status, body.data.state]).toEqual([200, 'in_flight'])
    worker.wake()
    response.end()
    await countInState(tenant, id, 'succeeded', 1)
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a replay', () => {
  it.each([{}, { since: 'yesterday' }, { since: null }, { since: '2026-01-01', until: 5 }])(
    'is refused with %j',
    async (range) => {
      const { id } = await subscribe(tenant, receiver.url)
      const { status, body } = await tenant.request('POST', `/webhooks/${id}/replay`, range)
      expect([status, body.error.code]).toEqual([400, 'validation_error'])
    },
  )
})

describe('the test call', () => {
  it('sends a sample of the first topic once, to this subscription alone', async () => {
    const other = await startReceiver()
    await subscribe(tenant, other.url)
    const { id } = await subscribe(tenant, receiver.url, ['stock/updated', 'order/created'])
    const { status, body } = await tenant.request('POST', `/webhooks/${id}/test`)
    expect(status).toBe(200)
    const [{ event, headers } = never()] = receiver.received
    expect(event).toMatchObject({
      id: expect.stringMatching(/^evt_test_/),
      event: 'stock/updated',
      data: EVENT_SAMPLES['stock/updated'],
    })
    expect(headers).toMatchObject({ 'x-webhook-id': event.id, 'x-webhook-topic': 'stock/updated', 'x-webhook-attempt': '1' })
    expect(body.data).toMatchObject({
      event_id: event.id,
      state: 'succeeded',
      last_status: 200,
      attempts: [{ trigger: 'test', response_body: 'ok' }],
    })
    expect(await deliveriesOf(tenant, id)).toEqual([body.data])
    worker.wake()
    const [written] = await writeEvents(service, tenant, 1)
    await other.count(1)
    expect(other.received.map((request) => request.event.id)).toEqual([written])
    expect(receiver.received).toHaveLength(1)
    expect(
      (await tenant.request('GET', '/events')).body.data.events.every(
        ({ id: eventId }: { id: string }) => !eventId.startsWith('evt_test_'),
      ),
    ).toBe(true)
  })

  it.each(TOPICS)('sends any topic asked for: %s', async (topic) => {
    const { id } = await subscribe(tenant, receiver.url)
    await tenant.request('POST', `/webhooks/${id}/test`, { event: topic })
    expect(receiver.received[0]?.event.event).toBe(topic)
  })

  it('tells what went wrong, and does not try again', async () => {
    const { id } = await subscribe(tenant, await closedPort())
    await tenant.request('PUT', `/webhooks/${id}`, { active: false })
    const { body } = await tenant.request('POST', `/webhooks/${id}/test`, { event: 'order/created' })
    expect(body.data).toMatchObject({
      state: 'failed',
      last_status: null,
      last_error: expect.stringContaining('ECONNREFUSED'),
      next_attempt_at: null,
    })
    expect((await tenant.request('POST', `/webhooks/${id}/test`, { event: 'order/lost' })).status).toBe(400)
  })
})

describe('the sample of each topic', () => {
  it.each(TOPICS)('%s has exactly the fields of its data', (topic) => {
    const sample: unknown = EVENT_SAMPLES[topic]
    expect(EVENT_DATA[topic].strict().parse(sample)).toEqual(sample)
    expect(Object.keys(sample as object)).toEqual(Object.keys(EVENT_DATA[topic].shape))
  })
})

function never(): never {
  throw new Error('nothing arrived')
}
