import { describe, expect } from 'vitest'
import { it } from './support/it.ts'
import type { TestTenant } from '../support/service.ts'
import { countInState, deliveriesOf, deliveryWhen, subscribe, writeEvents } from './support/deliveries.ts'
import { acknowledge, respondWith, until } from '../support/receiver.ts'
import { atMost } from '../support/patience.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const SCHEDULE = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

const byText = (a: string | undefined, b: string | undefined): number => String(a).localeCompare(String(b))

const webhook = async (tenant: TestTenant, id: string) => (await tenant.request('GET', `/webhooks/${id}`)).body.data

/** Waits for the result of attempt `number`. */
const attempted = (tenant: TestTenant, id: string, number: number) =>
  deliveryWhen(tenant, id, ({ attempt_count, state }) => attempt_count === number && state !== 'in_flight')

/** Waits until `count` failed attempts are recorded and no delivery is in flight. */
async function failures(tenant: TestTenant, id: string, count: number): Promise<void> {
  await until(async () => {
    const deliveries = await deliveriesOf(tenant, id)
    return (
      deliveries.every(({ state }) => state !== 'in_flight') &&
      deliveries.reduce((sum, delivery) => sum + delivery.attempt_count, 0) === count
    )
  }, `${count} failed attempts`)
}

describe('the retry schedule', () => {
  it('has 12 attempts, with delays lengthened by up to a fifth, and ends as failed', async ({
    service,
    tenant,
    receiver,
    worker,
  }) => {
    receiver.behave(respondWith(500, {}, 'broken'))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    for (const [index, delay] of SCHEDULE.entries()) {
      const { next_attempt_at, attempts, state } = await attempted(tenant, id, index + 1)
      const { started_at, duration_ms } = attempts.at(-1)
      const waits = Date.parse(next_attempt_at) - Date.parse(started_at) - duration_ms
      expect(state).toBe('pending')
      expect(waits, `delay ${index + 1}`).toBeGreaterThan(delay - 50)
      expect(waits, `delay ${index + 1}`).toBeLessThan(delay * 1.2 + atMost(1_000))
      worker.advance(Date.parse(next_attempt_at) - worker.clock.now().getTime() + 1)
    }
    const last = await attempted(tenant, id, 12)
    expect(last).toMatchObject({
      state: 'failed',
      next_attempt_at: null,
      last_status: 500,
      last_error: expect.any(String),
      completed_at: expect.any(String),
    })
    expect(last.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(last.attempts[11]).toMatchObject({ trigger: 'schedule', response_status: 500, response_body: 'broken' })
    worker.advance(2 * DAY)
    await writeEvents(service, tenant, 1)
    worker.wake()
    await receiver.count(13)
    expect(receiver.received.filter(({ event }) => event.id === last.event_id)).toHaveLength(12)
  })

  it('starts a retry at its time, also when the worker had nothing else to do', async ({ service, tenant, receiver, worker }) => {
    // The polls of an idle worker are 3.1 and 5.1 seconds after the first attempt. A busy machine can make a start late, but not every one.
    const lateness: number[] = []
    while (lateness.length < 4 && !lateness.some((ms) => ms < 300)) {
      receiver.behave(respondWith(503, { 'retry-after': '4' }))
      const { id } = await subscribe(tenant, receiver.url)
      await writeEvents(service, tenant, 1)
      worker.wake()
      const { next_attempt_at } = await attempted(tenant, id, 1)
      receiver.behave(acknowledge)
      const { attempts } = await attempted(tenant, id, 2)
      lateness.push(Date.parse(attempts[1].started_at) - Date.parse(next_attempt_at))
      await tenant.request('DELETE', `/webhooks/${id}`)
    }
    expect(Math.min(...lateness), lateness.join()).toBeLessThan(300)
    expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0)
  })

  it('does not send a delivery before it is due', async ({ service, tenant, receiver, worker }) => {
    receiver.behave(respondWith(500))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    await attempted(tenant, id, 1)
    worker.advance(4 * SECOND)
    await writeEvents(service, await service.newTenant(), 1)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(receiver.received).toHaveLength(1)
  })
})

describe('Retry-After', () => {
  /** Sends an event to a receiver that returns the given response, and returns the delivery. */
  const itHeld = it.extend(
    'startHeld',
    async ({ service, tenant, receiver, worker }) =>
      async (status: number, header: string, behaviour = respondWith(status, { 'retry-after': header })) => {
        receiver.behave(behaviour)
        const { id } = await subscribe(tenant, receiver.url)
        await writeEvents(service, tenant, 1)
        worker.wake()
        await attempted(tenant, id, 1)
        return await deliveriesOf(tenant, id)
      },
  )

  itHeld.for<[form: string, header: () => string, wait: number]>([
    ['seconds', () => '120', 120 * SECOND],
    ['a date', () => new Date(Date.now() + HOUR).toUTCString(), HOUR],
    ['more than a day, which counts as a day', () => '999999', DAY],
  ])('in %s holds the whole subscription', async ([, header, wait], { service, tenant, receiver, worker, startHeld }) => {
    const [held] = await startHeld(429, header())
    const { next_attempt_at, attempts } = held
    const waits = Date.parse(next_attempt_at) - Date.parse(attempts[0].started_at)
    expect(Math.abs(waits - wait)).toBeLessThan(atMost(2 * SECOND))
    receiver.behave(acknowledge)
    const more = await writeEvents(service, tenant, 2)
    worker.advance(wait - 10 * SECOND)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(receiver.received).toHaveLength(1)
    worker.advance(12 * SECOND)
    await receiver.count(4)
    expect(receiver.received.map(({ event }) => event.id).toSorted()).toEqual(
      [held.event_id, ...more, held.event_id].toSorted(byText),
    )
  })

  itHeld.for(['0', '-5', 'soon', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'of %s asks for nothing: the schedule goes on',
    async (header, { startHeld }) => {
      const [{ next_attempt_at, attempts }] = await startHeld(503, header)
      const waits = Date.parse(next_attempt_at) - Date.parse(attempts[0].started_at) - attempts[0].duration_ms
      expect(waits).toBeLessThan(6 * SECOND + atMost(1_000))
    },
  )

  itHeld('of a second does not use up the attempts of an outage', async ({ tenant, worker, startHeld }) => {
    const [{ webhook_id: id }] = await startHeld(503, '1')
    for (let made = 1; made < 4; made++) {
      worker.advance(2 * SECOND)
      await attempted(tenant, id, made + 1)
    }
    const [{ attempts, next_attempt_at }] = await deliveriesOf(tenant, id)
    expect(Date.parse(next_attempt_at) - Date.parse(attempts[3].started_at)).toBeGreaterThan(599 * SECOND)
  })

  itHeld('holds it also when the connection breaks before the response is complete', async ({ startHeld }) => {
    const [held] = await startHeld(503, '600', (_request, response) => {
      response.writeHead(503, { 'retry-after': '600', 'content-length': '100' }).write('come back la', () => response.destroy())
    })
    const { next_attempt_at, attempts } = held
    expect(Date.parse(next_attempt_at) - Date.parse(attempts[0].started_at)).toBeGreaterThan(599 * SECOND)
    expect(attempts[0]).toMatchObject({ response_status: 503, response_body: 'come back la', error: expect.any(String) })
  })
})

describe('`active: true` for a subscription that is active', () => {
  it('changes neither its failures nor what its receiver asked to wait', async ({ service, tenant, receiver, worker }) => {
    receiver.behave(respondWith(503, { 'retry-after': '600' }))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    await attempted(tenant, id, 1)
    const failing = await webhook(tenant, id)
    expect(failing.failing_since).not.toBeNull()
    expect((await tenant.request('PUT', `/webhooks/${id}`, { active: true })).body.data).toEqual(failing)
    await writeEvents(service, tenant, 1)
    worker.wake()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a subscription is disabled', () => {
  it('immediately by 410 Gone: pending deliveries are skipped, and can be replayed once it is active again', async ({
    service,
    tenant,
    receiver,
    worker,
  }) => {
    receiver.behave(respondWith(410))
    const { id } = await subscribe(tenant, receiver.url)
    const [gone] = await writeEvents(service, tenant, 1)
    worker.wake()
    await attempted(tenant, id, 1)
    expect(await webhook(tenant, id)).toMatchObject({ active: false, disabled_reason: 'gone', disabled_at: expect.any(String) })
    expect((await tenant.request('GET', '/webhooks')).body.data.webhooks).toEqual([])
    expect((await tenant.request('GET', '/webhooks?include_inactive=true')).body.data.webhooks).toHaveLength(1)
    const since = new Date(Date.now() - MINUTE).toISOString()
    const meantime = await writeEvents(service, tenant, 3)
    worker.wake()
    await countInState(tenant, id, 'skipped', 3)
    expect(await deliveriesOf(tenant, id, '&state=failed')).toMatchObject([{ event_id: gone, last_status: 410 }])

    receiver.behave(acknowledge)
    expect((await tenant.request('POST', `/webhooks/${id}/replay`, { since })).status).toBe(400)
    expect((await tenant.request('PUT', `/webhooks/${id}`, { active: true })).body.data).toMatchObject({
      active: true,
      disabled_reason: null,
      disabled_at: null,
    })
    expect((await tenant.request('POST', `/webhooks/${id}/replay`, { since })).body.data).toEqual({ queued: 4 })
    worker.wake()
    await countInState(tenant, id, 'succeeded', 4)
    expect(
      receiver.received
        .slice(1)
        .map(({ event }) => event.id)
        .toSorted(),
    ).toEqual([gone, ...meantime].toSorted(byText))
  })

  it('after 5 days without a success, and not earlier', async ({ service, tenant, receiver, worker }) => {
    receiver.behave(respondWith(500))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 5)
    worker.wake()
    await failures(tenant, id, 5)
    const { failing_since } = await webhook(tenant, id)
    expect(Math.abs(Date.parse(failing_since) - Date.now())).toBeLessThan(atMost(10 * SECOND))
    for (let attempts = 10; attempts <= 25; attempts += 5) {
      worker.advance(3 * HOUR)
      await failures(tenant, id, attempts)
    }
    expect(await webhook(tenant, id)).toMatchObject({ active: true, failing_since })
    worker.advance(5 * DAY)
    await until(async () => !(await webhook(tenant, id)).active, 'the subscription to be turned off')
    expect(await webhook(tenant, id)).toMatchObject({ disabled_reason: 'failing', failing_since })
    await countInState(tenant, id, 'skipped', 5)
    const on = await tenant.request('PUT', `/webhooks/${id}`, { active: true })
    expect(on.body.data).toMatchObject({ active: true, failing_since: null, disabled_reason: null })
  })

  it('a subscription that is turned on meanwhile begins without its failures', async ({ service, tenant, receiver }) => {
    const { id } = await subscribe(tenant, receiver.url)
    const engine = await service.db.dedicatedPool.connect()
    const values = [tenant.id, id]
    await engine.query('begin')
    await engine.query(
      `update webhook_lanes set failing_since = now() - interval '5 days', failed_attempts = 20 where tenant_id = $1 and subscription_id = $2`,
      values,
    )
    await engine.query(
      `update webhook_subscriptions set active = false, disabled_reason = 'failing', disabled_at = now() where tenant_id = $1 and id = $2`,
      values,
    )
    const turnedOn = tenant.request('PUT', `/webhooks/${id}`, { active: true })
    const waiting = 'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))'
    await until(async () => (await engine.query(waiting)).rows.length > 0, 'the change to wait')
    await engine.query('commit')
    engine.release()
    expect((await turnedOn).body.data).toMatchObject({ active: true, failing_since: null, disabled_reason: null })
  })

  it('not after fewer than 20 failed attempts, even over a longer time', async ({ service, tenant, receiver, worker }) => {
    receiver.behave(respondWith(429, { 'retry-after': '86400' }))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    for (let day = 1; day <= 8; day++) {
      await attempted(tenant, id, day)
      worker.advance(DAY + MINUTE)
    }
    expect(await webhook(tenant, id)).toMatchObject({ active: true })
  })

  it('not while some deliveries are acknowledged', async ({ service, tenant, receiver, worker }) => {
    let count = 0
    receiver.behave((_request, response) => void response.writeHead(++count % 10 === 0 ? 200 : 404).end())
    const { id } = await subscribe(tenant, receiver.url)
    for (let day = 0; day < 7; day++) {
      await writeEvents(service, tenant, 10)
      worker.advance(DAY)
      await receiver.count((day + 1) * 10)
      await until(async () => (await deliveriesOf(tenant, id, '&state=in_flight')).length === 0, 'the results')
    }
    expect(await webhook(tenant, id)).toMatchObject({ active: true })
  })

  it('by PUT: pending deliveries and new events are skipped', async ({ service, tenant, receiver, worker }) => {
    receiver.behave(respondWith(500))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    await attempted(tenant, id, 1)
    expect((await tenant.request('PUT', `/webhooks/${id}`, { active: false })).body.data).toMatchObject({
      active: false,
      disabled_reason: 'paused',
    })
    await writeEvents(service, tenant, 1)
    worker.wake()
    await countInState(tenant, id, 'skipped', 2)
    expect(receiver.received).toHaveLength(1)
  })

  it('while a request is in flight, whose result is recorded', async ({ service, tenant, receiver, worker }) => {
    receiver.behave(() => {})
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 12)
    worker.wake()
    const requests = await receiver.count(10)
    await tenant.request('PUT', `/webhooks/${id}`, { active: false })
    worker.wake()
    await countInState(tenant, id, 'skipped', 2)
    requests.forEach(({ response }) => response.end())
    await countInState(tenant, id, 'succeeded', 10)
    expect(receiver.received).toHaveLength(10)
  })
})

describe('manually', () => {
  it('a failed delivery is sent again, even for an inactive subscription', async ({ service, tenant, receiver, worker }) => {
    receiver.behave(respondWith(410))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    const failed = await attempted(tenant, id, 1)
    receiver.behave(respondWith(500))
    const retried = await tenant.request('POST', `/webhooks/deliveries/${failed.id}/retry`)
    // The attempt may be over when the response is read.
    expect(retried.body.data).toMatchObject({ id: failed.id, state: expect.stringMatching(/^(pending|in_flight|failed)$/) })
    worker.wake()
    expect(await attempted(tenant, id, 2)).toMatchObject({
      state: 'failed',
      attempts: [{ trigger: 'schedule' }, { trigger: 'manual', response_status: 500 }],
    })
    receiver.behave(acknowledge)
    await tenant.request('POST', `/webhooks/deliveries/${failed.id}/retry`)
    worker.wake()
    expect(await attempted(tenant, id, 3)).toMatchObject({
      state: 'succeeded',
      last_error: null,
      attempts: [{}, {}, { number: 3, trigger: 'manual' }],
    })
  })

  it('a delivery stores its latest 100 attempts, and counts all', async ({ service, tenant, receiver, worker }) => {
    receiver.behave(respondWith(410))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    const { id: deliveryId } = await attempted(tenant, id, 1)
    // Simulates a delivery from before the limit existed.
    await service.db.dedicatedPool.query(
      `update finished_deliveries set attempts = (select jsonb_agg((attempts -> 0) || jsonb_build_object('number', n) order by n) from generate_series(1, 40000) n)
       where tenant_id = $1`,
      [tenant.id],
    )
    for (const count of [40_001, 40_002]) {
      expect((await tenant.request('POST', `/webhooks/deliveries/${deliveryId}/retry`)).status).toBe(200)
      worker.wake()
      const delivery = await attempted(tenant, id, count)
      expect(delivery.attempts.map(({ number }: { number: number }) => number)).toEqual(
        Array.from({ length: 100 }, (_, index) => count - 99 + index),
      )
    }
    expect(receiver.received.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '40001', '40002'])
  })

  it('a pending delivery is sent immediately, and its schedule continues from there', async ({
    service,
    tenant,
    receiver,
    worker,
  }) => {
    receiver.behave(respondWith(500))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    worker.wake()
    const { id: deliveryId } = await attempted(tenant, id, 1)
    await tenant.request('POST', `/webhooks/deliveries/${deliveryId}/retry`)
    worker.advance(SECOND)
    const { next_attempt_at, attempts } = await attempted(tenant, id, 2)
    expect(Date.parse(next_attempt_at) - Date.parse(attempts[1].started_at)).toBeGreaterThan(29 * SECOND)
  })

  it('a time range is replayed, including acknowledged events and events before the subscription, once each', async ({
    service,
    tenant,
    receiver,
    worker,
    startWorker,
  }) => {
    const before = await writeEvents(service, tenant, 2)
    await new Promise((resolve) => setTimeout(resolve, 10))
    const middle = new Date().toISOString()
    const { id } = await subscribe(tenant, receiver.url, ['product/deleted'])
    const after = await writeEvents(service, tenant, 2)
    await writeEvents(service, tenant, 1, 'product/created')
    worker.wake()
    await countInState(tenant, id, 'succeeded', 2)
    const replay = async (range: object) => (await tenant.request('POST', `/webhooks/${id}/replay`, range)).body.data.queued
    await worker.stop()
    expect(await replay({ since: middle })).toBe(2)
    expect(await replay({ since: middle })).toBe(0)
    expect(await replay({ since: '2020-01-01', until: middle })).toBe(2)
    expect(await replay({ since: '2020-01-01', until: '2020-12-31' })).toBe(0)
    startWorker()
    await countInState(tenant, id, 'succeeded', 4)
    expect(receiver.received.map(({ event }) => event.id).toSorted()).toEqual([...after, ...after, ...before].toSorted())
    expect(receiver.received.filter(({ headers }) => headers['x-webhook-attempt'] === '2')).toHaveLength(2)
    const [newest] = await deliveriesOf(tenant, id)
    expect(newest.attempts).toMatchObject([{ trigger: 'schedule' }, { trigger: 'replay' }])
  })
})
