import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { it } from './support/it.ts'
import { dataOf, sampleOf, TOPICS } from '../support/topics.ts'
import { countInState, deliveriesOf, deliveryWhen, subscribe, writeEvents, type Worker } from './support/deliveries.ts'
import { acknowledge, respondWith, closedPort, until, type Receiver } from '../support/receiver.ts'
import type { TestService, TestTenant } from '../support/service.ts'

/** Subscribes the receiver and delivers an event to it. */
async function deliverOne(service: TestService, tenant: TestTenant, receiver: Receiver, worker: Worker) {
  const { id } = await subscribe(tenant, receiver.url)
  await writeEvents(service, tenant, 1)
  worker.wake()
  await countInState(tenant, id, 'succeeded', 1)
  const [delivery] = await deliveriesOf(tenant, id)
  return { id, delivery }
}

/** Expects 404 for ids that are not a delivery of the caller, and for another tenant. */
async function expectUnknownIdsRejected(
  service: TestService,
  tenant: TestTenant,
  delivery: { id: string; event_id: string },
  method: string,
  suffix: string,
): Promise<void> {
  const other = await service.newTenant()
  for (const [caller, id] of [
    [other, delivery.id],
    [tenant, 'dlv_1_evt_unknown'],
    [tenant, `dlv_99999999999999999999_${delivery.event_id}`],
    [tenant, 'nothing'],
    [tenant, '%00'],
  ] as const) {
    const { status, body } = await caller.request(method, `/webhooks/deliveries/${id}${suffix}`)
    expect([status, body.error.code], id).toEqual([404, 'not_found'])
  }
}

it('deliveries claimed ahead for a paused subscription are not sent', async ({ service, tenant, receiver, worker }) => {
  const { id } = await subscribe(tenant, receiver.url)
  // Fast at first, so that much is claimed ahead.
  let answered = 0
  receiver.behave(async (...request) => {
    if (++answered > 100) await delay(500)
    await acknowledge(...request)
  })
  await writeEvents(service, tenant, 1_000)
  worker.wake()
  await receiver.count(110)
  await tenant.request('PUT', `/webhooks/${id}`, { active: false })
  const isQuiet = async (): Promise<boolean> => {
    const before = receiver.received.length
    await delay(1_200)
    return receiver.received.length === before
  }
  await until(isQuiet, 'the last request')
  expect(receiver.received.length).toBeLessThan(500)
})

describe('the list of deliveries', () => {
  it('is paged, the newest event first, and filtered by state and topic', async ({ service, tenant, receiver, worker }) => {
    const { id } = await subscribe(tenant, receiver.url)
    const first = await writeEvents(service, tenant, 3, 'product/created')
    worker.wake()
    await countInState(tenant, id, 'succeeded', 3)
    receiver.behave(respondWith(500))
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

  it('shows every attempt of a delivery', async ({ service, tenant, receiver, worker }) => {
    receiver.behave(respondWith(503, {}, 'busy'))
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

describe('a single delivery', () => {
  it('is read as the list shows it, with its attempts', async ({ service, tenant, receiver, worker }) => {
    receiver.behave(respondWith(503, {}, 'busy'))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    await countInState(tenant, id, 'pending', 1)
    await receiver.count(1)
    await expect.poll(async () => (await deliveriesOf(tenant, id))[0].attempt_count).toBe(1)
    const [delivery] = await deliveriesOf(tenant, id)
    const { status, body } = await tenant.request('GET', `/webhooks/deliveries/${delivery.id}`)
    expect([status, body.data]).toEqual([200, delivery])

    const { body: tested } = await tenant.request('POST', `/webhooks/${id}/test`, {})
    expect((await tenant.request('GET', `/webhooks/deliveries/${tested.data.id}`)).body.data).toEqual(tested.data)
  })

  it('is rejected for an id that is not a delivery of the tenant, and without the scope', async ({
    service,
    tenant,
    receiver,
    worker,
  }) => {
    const { id, delivery } = await deliverOne(service, tenant, receiver, worker)
    await expectUnknownIdsRejected(service, tenant, delivery, 'GET', '')
    const key = await tenant.createKey({ scopes: ['write:webhooks'] })
    const { body } = await tenant.request('GET', `/webhooks/deliveries/${delivery.id}`, undefined, { key })
    expect(body.error.code).toBe('insufficient_scope')
    await tenant.request('DELETE', `/webhooks/${id}`)
    expect((await tenant.request('GET', `/webhooks/deliveries/${delivery.id}`)).status).toBe(404)
  })
})

describe('a manual retry', () => {
  it('is rejected for an id that is not a delivery of the tenant', async ({ service, tenant, receiver, worker }) => {
    const { id, delivery } = await deliverOne(service, tenant, receiver, worker)
    await expectUnknownIdsRejected(service, tenant, delivery, 'POST', '/retry')
    await tenant.request('DELETE', `/webhooks/${id}`)
    expect((await tenant.request('POST', `/webhooks/deliveries/${delivery.id}/retry`)).status).toBe(404)
  })

  it('of a delivery in flight sends it only once', async ({ service, tenant, receiver, worker }) => {
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

describe('a manual retry of a test call', () => {
  it('is one attempt, whose failure does not count against the subscription', async ({ tenant, receiver, worker }) => {
    receiver.behave(respondWith(500))
    const { id } = await subscribe(tenant, receiver.url)
    const { body: tested } = await tenant.request('POST', `/webhooks/${id}/test`)
    const retry = () => tenant.request('POST', `/webhooks/deliveries/${tested.data.id}/retry`)
    // The worker may have taken it already, and its attempt may be over.
    expect((await retry()).body.data.state).toMatch(/^(pending|in_flight|failed)$/)
    worker.wake()
    const retried = await deliveryWhen(tenant, id, ({ attempt_count: count }) => count === 2)
    expect(retried).toMatchObject({
      state: 'failed',
      next_attempt_at: null,
      attempts: [{ trigger: 'test' }, { trigger: 'manual', response_status: 500 }],
    })
    expect((await tenant.request('GET', `/webhooks/${id}`)).body.data.failing_since).toBeNull()
    receiver.behave(acknowledge)
    await retry()
    worker.wake()
    await countInState(tenant, id, 'succeeded', 1)
  })
})

describe('a replay', () => {
  it.for([{}, { since: 'yesterday' }, { since: null }, { since: '2026-01-01', until: 5 }])(
    'is refused with %j',
    async (range, { tenant, receiver }) => {
      const { id } = await subscribe(tenant, receiver.url)
      const { status, body } = await tenant.request('POST', `/webhooks/${id}/replay`, range)
      expect([status, body.error.code]).toEqual([400, 'validation_error'])
    },
  )
})

describe('the test call', () => {
  it('sends a sample of the first topic once, only to this subscription', async ({
    service,
    tenant,
    receiver,
    worker,
    startReceiver,
  }) => {
    const other = await startReceiver()
    await subscribe(tenant, other.url)
    const { id } = await subscribe(tenant, receiver.url, ['stock/updated', 'order/created'])
    const { status, body } = await tenant.request('POST', `/webhooks/${id}/test`)
    expect(status).toBe(200)
    const [{ event, headers } = never()] = receiver.received
    expect(event).toMatchObject({
      id: expect.stringMatching(/^evt_test_/),
      event: 'stock/updated',
      data: sampleOf('stock/updated'),
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

  it.for(TOPICS)('sends any topic asked for: %s', async (topic, { tenant, receiver }) => {
    const { id } = await subscribe(tenant, receiver.url)
    await tenant.request('POST', `/webhooks/${id}/test`, { event: topic })
    expect(receiver.received[0]?.event.event).toBe(topic)
  })

  it('returns the error, and does not retry', async ({ tenant }) => {
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

  it('is refused while 10 of the subscription, or 50 of the tenant, wait for a response', async ({
    service,
    tenant,
    receiver,
  }) => {
    receiver.behave(() => {})
    const subscriptions = await Promise.all(Array.from({ length: 6 }, () => subscribe(tenant, receiver.url)))
    const [first, last] = [subscriptions[0]?.id, subscriptions.at(-1)?.id]
    const test = (id: string | undefined, by = tenant) => by.request('POST', `/webhooks/${id}/test`)
    const refused = async (id: string | undefined): Promise<string> => {
      const { status, headers, body } = await test(id)
      expect([status, body.error?.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1'])
      return body.error.message
    }
    const waiting = Array.from({ length: 10 }, () => test(first))
    await receiver.count(10)
    expect(await refused(first)).toContain('10 test calls of this subscription')
    for (const { id } of subscriptions.slice(1, -1)) for (let n = 0; n < 10; n++) waiting.push(test(id))
    await receiver.count(50)
    expect(await refused(last)).toContain('50 test calls of this tenant')

    const other = await service.newTenant()
    waiting.push(test((await subscribe(other, receiver.url)).id, other))
    await receiver.count(51)
    receiver.behave(acknowledge)
    receiver.received.forEach(({ response }) => response.end())
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]))
    expect((await test(first)).status).toBe(200)
  })
})

describe('the sample of each topic', () => {
  it.each(TOPICS)('%s has exactly the fields of its data', (topic) => {
    const sample: unknown = sampleOf(topic)
    expect(dataOf(topic).strict().parse(sample)).toEqual(sample)
    expect(Object.keys(sample as object)).toEqual(Object.keys(dataOf(topic).shape))
  })
})

function never(): never {
  throw new Error('nothing arrived')
}
