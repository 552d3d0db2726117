import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { clearDeletedSubscriptions, putBackEvents } from '../../server/src/webhooks/index.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import {
  countInState,
  hold,
  startApi,
  startWorker,
  subscribe,
  subscribeManyTimes,
  writeEvents,
  type Worker,
} from './support/deliveries.ts'
import { startReceiver, until, type Receiver } from './support/receiver.ts'

let service: TestService
let worker: Worker | undefined
let attacker: TestTenant
let other: TestTenant
let healthy: Receiver
beforeAll(async () => {
  service = await startApi()
})
afterAll(() => service.stop())
beforeEach(async () => {
  worker = undefined
  attacker = await service.newTenant()
  other = await service.newTenant()
  healthy = await startReceiver()
  return async () => {
    await worker?.stop({ graceMs: 0 })
    await healthy.close()
    await service.db.pool.query(
      'truncate event_outbox, outbox_set_aside, waiting_deliveries; update webhook_lanes set due_at = null',
    )
  }
})

const query = async (text: string, values: unknown[] = []) => (await service.db.pool.query(text, values)).rows

const outboxIsEmpty = () => until(async () => (await query('select from event_outbox')).length === 0, 'an empty outbox', 30_000)

/** Makes Postgres refuse rows of a table, by a condition on `new`. */
async function refuse(table: string, condition: string): Promise<() => Promise<unknown>> {
  await query(`create function refuse_row() returns trigger language plpgsql as $$
    begin if ${condition} then raise exception 'refused by the test'; end if; return new; end $$`)
  await query(`create trigger refuse_row before insert on ${table} for each row execute function refuse_row()`)
  return () => query('drop function refuse_row cascade')
}

describe('the fan-out', () => {
  it('makes a bounded number of deliveries at a time, of tenants in turn', async () => {
    await subscribeManyTimes(service, attacker, healthy.url, 300)
    await subscribe(other, healthy.url)
    await hold(service, attacker)
    await hold(service, other)
    await writeEvents(service, attacker, 40)
    await writeEvents(service, other, 1)
    worker = startWorker(service)
    await outboxIsEmpty()
    const batches = await query(
      `select tenant_id, xmin::text::bigint as transaction, count(*) as count from waiting_deliveries group by 1, 2 order by 2`,
    )
    expect(batches.reduce((sum, { count }) => sum + count, 0)).toBe(40 * 300 + 1)
    expect(Math.max(...batches.map(({ count }) => count))).toBeLessThanOrEqual(2_000)
    expect(batches.findIndex(({ tenant_id }) => tenant_id === other.id)).toBeLessThan(3)
  })

  it('splits an event for thousands of subscriptions', async () => {
    await subscribeManyTimes(service, attacker, healthy.url, 4_100)
    await hold(service, attacker)
    await writeEvents(service, attacker, 2)
    worker = startWorker(service)
    await outboxIsEmpty()
    const batches = await query('select count(*) as count from waiting_deliveries group by xmin')
    expect(batches.map(({ count }) => count).toSorted((a, b) => a - b)).toEqual([
      100,
      100,
      ...Array.from({ length: 16 }, () => 500),
    ])
    expect(await query('select from (select distinct subscription_id, event_id from waiting_deliveries) d')).toHaveLength(8_200)
  })

  it('sets an event aside that fails, goes on with all others, and tries it again an hour later', async () => {
    const { id } = await subscribe(attacker, healthy.url)
    const { id: otherId } = await subscribe(other, healthy.url)
    const ids = await writeEvents(service, attacker, 50)
    await writeEvents(service, other, 5)
    const allow = await refuse('waiting_deliveries', `new.event_id = '${ids[20]}'`)
    worker = startWorker(service)
    await countInState(other, otherId, 'succeeded', 5)
    await countInState(attacker, id, 'succeeded', 49)
    await outboxIsEmpty()
    expect(await query('select event_id, error from outbox_set_aside')).toEqual([
      { event_id: ids[20], error: 'refused by the test' },
    ])
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^fulfillment_outbox_set_aside_events 1$/m)
    await allow()
    expect(await putBackEvents(service.db)).toBe(0)
    await query(`update outbox_set_aside set set_aside_at = now() - interval '61 minutes'`)
    expect(await putBackEvents(service.db)).toBe(1)
    worker.wake()
    await countInState(attacker, id, 'succeeded', 50)
  })
})

it('a result that cannot be written does not keep others from being written', async () => {
  const { id } = await subscribe(attacker, healthy.url)
  const { id: otherId } = await subscribe(other, healthy.url)
  const [bad] = await writeEvents(service, attacker, 5)
  await writeEvents(service, other, 5)
  const allow = await refuse('finished_deliveries', `new.event_id = '${bad}'`)
  worker = startWorker(service)
  await countInState(other, otherId, 'succeeded', 5)
  await countInState(attacker, id, 'succeeded', 4)
  await allow()
  worker.advance(61_000)
  await countInState(attacker, id, 'succeeded', 5)
  expect(healthy.received.filter(({ event }) => event.id === bad)).toHaveLength(2)
})

it('hundreds of receivers that never answer leave places for another tenant', async () => {
  const silent = await startReceiver(() => {})
  await subscribeManyTimes(service, attacker, silent.url, 300)
  await writeEvents(service, attacker, 5)
  const { id } = await subscribe(other, healthy.url)
  worker = startWorker(service)
  await until(() => silent.received.length >= 200, 'the places to be taken', 30_000)
  await delay(500)
  for (let n = 1; n <= 10; n++) {
    await writeEvents(service, other, 1)
    worker.wake()
    await until(() => healthy.received.length >= n, `event ${n}`, 5_000)
  }
  await countInState(other, id, 'succeeded', 10)
  expect(silent.peak).toBeLessThanOrEqual(256)
  await silent.close()
})

it('what waits for a deleted subscription is deleted later, in pieces', async () => {
  const { id } = await subscribe(attacker, healthy.url)
  const { id: keptId } = await subscribe(attacker, healthy.url)
  await query(
    `insert into waiting_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, next_attempt_at, created_at)
     select $1, s.id, 'evt_' || n, now(), 'product/deleted', now(), now() from generate_series(1, 3500) n, unnest($2::bigint[]) s (id)`,
    [attacker.id, [id, keptId]],
  )
  const waiting = async (subscription: string) =>
    (await query('select count(*) as count from waiting_deliveries where subscription_id = $1', [subscription]))[0].count
  expect((await attacker.request('DELETE', `/webhooks/${id}`)).status).toBe(200)
  expect(await waiting(id)).toBe(3_500)
  await query('create table pieces (count bigint)')
  await query(`create function note_piece() returns trigger language plpgsql as $$
    begin insert into pieces select count(*) from gone; return null; end $$`)
  await query(`create trigger note_piece after delete on waiting_deliveries referencing old table as gone
    for each statement execute function note_piece()`)
  await clearDeletedSubscriptions(service.db)
  expect(await waiting(id)).toBe(0)
  expect(await waiting(keptId)).toBe(3_500)
  expect((await query('select max(count) as most from pieces'))[0].most).toBe(1_000)
  expect(await query('select from deleted_subscriptions')).toHaveLength(1)
  await query(`update deleted_subscriptions set deleted_at = now() - interval '2 minutes'`)
  await clearDeletedSubscriptions(service.db)
  expect(await query('select from deleted_subscriptions')).toEqual([])
  await query('drop function note_piece cascade; drop table pieces')
})

it('a replay of many events queues each of them, in pieces', async () => {
  await writeEvents(service, attacker, 4_500)
  const { id } = await subscribe(attacker, healthy.url)
  await hold(service, attacker)
  const { body } = await attacker.request(
    'POST',
    `/webhooks/${id}/replay`,
    { since: '2020-01-01' },
    { headers: { 'Idempotency-Key': 'r' } },
  )
  expect(body.data).toEqual({ queued: 4_500 })
  const batches = await query('select count(*) as count from waiting_deliveries group by xmin')
  expect(batches.map(({ count }) => count).toSorted((a, b) => b - a)).toEqual([2_000, 2_000, 500])
})

describe('a tenant has at most 100 subscriptions', () => {
  it('and two calls at once do not make one more', async () => {
    const [first] = await subscribeManyTimes(service, attacker, healthy.url, 99)
    await query('update webhook_subscriptions set active = false where tenant_id = $1 and id = $2', [attacker.id, first])
    const make = () => attacker.request('POST', '/webhooks', { name: 'x', url: healthy.url, events: ['*'] })
    const answers = await Promise.all([make(), make(), make(), make()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
    expect(answers.find(({ status }) => status === 400)?.body.error).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('at most 100 webhooks'),
    })
    expect(await query('select from webhook_subscriptions where tenant_id = $1', [attacker.id])).toHaveLength(100)
    expect((await attacker.request('DELETE', `/webhooks/${first}`)).status).toBe(200)
    expect((await make()).status).toBe(200)
  })
})
