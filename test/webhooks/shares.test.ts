import { setImmediate as nextRound, setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { EngineConnection } from '@fulfillment/server/delivery/connection.ts'
import { WorkFinder } from '@fulfillment/server/delivery/find-work.ts'
import { it as base } from './support/it.ts'
import { putBackEvents } from '@fulfillment/server/delivery/index.ts'
import { clearDeletedSubscriptions } from '@fulfillment/server/domain/webhooks/clear-deleted.ts'
import type { TestService } from '../support/service.ts'
import { countInState, hold, subscribe, subscribeManyTimes, writeEvents, type Worker } from './support/deliveries.ts'
import { atMost } from '../support/patience.ts'
import { until } from '../support/receiver.ts'

const it = base
  .extend('attacker', async ({ service }) => await service.newTenant())
  .extend('other', async ({ service }) => await service.newTenant())
  .extend('healthy', async ({ startReceiver }) => await startReceiver())

it.beforeEach(async ({ service }) => {
  await query(service, 'truncate event_outbox, outbox_set_aside, waiting_deliveries; update webhook_lanes set due_at = null')
})

const query = async (service: TestService, text: string, values: unknown[] = []) =>
  (await service.db.dedicatedPool.query(text, values)).rows

const outboxIsEmpty = (service: TestService) =>
  until(async () => (await query(service, 'select from event_outbox')).length === 0, 'an empty outbox')

/** Makes Postgres refuse rows of a table, by a condition on `new`. */
async function refuse(
  service: TestService,
  table: string,
  condition: string,
  code = 'raise_exception',
): Promise<() => Promise<unknown>> {
  await query(
    service,
    `create function refuse_row() returns trigger language plpgsql as $$
    begin if ${condition} then raise exception 'refused by the test' using errcode = '${code}'; end if; return new; end $$`,
  )
  await query(service, `create trigger refuse_row before insert on ${table} for each row execute function refuse_row()`)
  return () => query(service, 'drop function refuse_row cascade')
}

describe('the fan-out', () => {
  it('creates a bounded number of deliveries at a time, with tenants in turn', async ({
    service,
    attacker,
    other,
    healthy,
    startWorker,
  }) => {
    await subscribeManyTimes(service, attacker, healthy.url, 300)
    await subscribe(other, healthy.url)
    await hold(service, attacker)
    await hold(service, other)
    await writeEvents(service, attacker, 40)
    await writeEvents(service, other, 1)
    startWorker()
    await outboxIsEmpty(service)
    const batches = await query(
      service,
      `select tenant_id, xmin::text::bigint as transaction, count(*) as count from waiting_deliveries group by 1, 2 order by 2`,
    )
    expect(batches.reduce((sum, { count }) => sum + count, 0)).toBe(40 * 300 + 1)
    expect(Math.max(...batches.map(({ count }) => count))).toBeLessThanOrEqual(2_000)
    expect(batches.findIndex(({ tenant_id }) => tenant_id === other.id)).toBeLessThan(3)
  })

  it('splits an event with thousands of subscriptions', async ({ service, attacker, healthy, startWorker }) => {
    await subscribeManyTimes(service, attacker, healthy.url, 4_100)
    await hold(service, attacker)
    await writeEvents(service, attacker, 2)
    startWorker()
    await outboxIsEmpty(service)
    const batches = await query(service, 'select count(*) as count from waiting_deliveries group by xmin')
    expect(batches.reduce((sum, { count }) => sum + count, 0)).toBe(8_200)
    expect(Math.max(...batches.map(({ count }) => count))).toBeLessThanOrEqual(500)
    expect(
      await query(service, 'select from (select distinct subscription_id, event_id from waiting_deliveries) d'),
    ).toHaveLength(8_200)
  })

  it('sets aside an event that fails, continues with the others, and retries it an hour later', async ({
    service,
    attacker,
    other,
    healthy,
    startWorker,
  }) => {
    const { id } = await subscribe(attacker, healthy.url)
    const { id: otherId } = await subscribe(other, healthy.url)
    const ids = await writeEvents(service, attacker, 50)
    await writeEvents(service, other, 5)
    const allow = await refuse(service, 'waiting_deliveries', `new.event_id = '${ids[20]}'`)
    const worker = startWorker()
    await countInState(other, otherId, 'succeeded', 5)
    await countInState(attacker, id, 'succeeded', 49)
    await outboxIsEmpty(service)
    expect(await query(service, 'select event_id, error from outbox_set_aside')).toEqual([
      { event_id: ids[20], error: 'refused by the test' },
    ])
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^fulfillment_outbox_set_aside_events 1$/m)
    await allow()
    expect(await putBackEvents(service.db)).toBe(0)
    await query(service, `update outbox_set_aside set set_aside_at = now() - interval '61 minutes'`)
    expect(await putBackEvents(service.db)).toBe(1)
    worker.wake()
    await countInState(attacker, id, 'succeeded', 50)
  })

  it('does not set aside what takes too long while nothing succeeds: the database is slow', async ({
    service,
    attacker,
    other,
    healthy,
    startWorker,
  }) => {
    const { id } = await subscribe(attacker, healthy.url)
    const { id: otherId } = await subscribe(other, healthy.url)
    await writeEvents(service, attacker, 3)
    await writeEvents(service, other, 3)
    // Counts the tries, which are rolled back. Each ends as if at its time limit.
    await query(service, 'create sequence tries')
    const allow = await refuse(service, 'waiting_deliveries', `nextval('tries') > 0`, 'query_canceled')
    onTestFinished(async () => void (await query(service, 'drop sequence tries')))
    startWorker()
    await until(async () => Number((await query(service, 'select last_value from tries'))[0].last_value) > 12, 'a dozen tries')
    expect(await query(service, 'select event_id from outbox_set_aside')).toEqual([])
    await allow()
    await countInState(attacker, id, 'succeeded', 3)
    await countInState(other, otherId, 'succeeded', 3)
  })

  it('sets aside what takes too long while others succeed', async ({ service, attacker, other, healthy, startWorker }) => {
    await subscribe(attacker, healthy.url)
    const { id: otherId } = await subscribe(other, healthy.url)
    const [slow] = await writeEvents(service, attacker, 1)
    const allow = await refuse(service, 'waiting_deliveries', `new.event_id = '${slow}'`, 'query_canceled')
    onTestFinished(async () => void (await allow()))
    const worker = startWorker()
    const isSetAside = async (): Promise<boolean> => (await query(service, 'select from outbox_set_aside')).length > 0
    for (let n = 1; !(await isSetAside()); n++) {
      await writeEvents(service, other, 1)
      worker.wake()
      await countInState(other, otherId, 'succeeded', n)
    }
    expect(await query(service, 'select event_id from outbox_set_aside')).toEqual([{ event_id: slow }])
  })
})

/** The name of a look for work among the statements of a worker, also of one that rests and sends none. */
const LOOK = 'look'

/** Records the looks for work of all workers as statements. */
function noteLooks(sent: { name: string; values: unknown[] }[]): void {
  const { find } = WorkFinder.prototype
  const looks = vi.spyOn(WorkFinder.prototype, 'find').mockImplementation(function (this: WorkFinder, ...args) {
    sent.push({ name: LOOK, values: [] })
    return find.apply(this, args)
  })
  onTestFinished(() => looks.mockRestore())
}

/** Records the statements that a worker sends, with their values. */
function statementsOf(worker: Worker): { name: string; values: unknown[] }[] {
  const sent: { name: string; values: unknown[] }[] = []
  worker.db.dedicatedPool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const watched = (...args: unknown[]): unknown => {
      if (typeof args[0] === 'object' && args[0] !== null && 'name' in args[0]) sent.push(args[0] as (typeof sent)[number])
      return query(...args)
    }
    client.query = watched as typeof client.query
  })
  return sent
}

it('a tenant with few deliveries waits for one part of the work of a tenant with many', async ({
  service,
  attacker,
  other,
  healthy,
  startWorker,
}) => {
  await subscribeManyTimes(service, attacker, healthy.url, 60)
  const { id } = await subscribe(other, healthy.url)
  await writeEvents(service, attacker, 20)
  await writeEvents(service, other, 1)
  const worker = startWorker()
  const sent = statementsOf(worker)
  noteLooks(sent)
  const isOfAttacker = (values: unknown[]): boolean => values.some((value) => Array.isArray(value) && value.includes(attacker.id))
  const steps = (): ('look' | 'part')[] =>
    sent.flatMap(({ name, values }) => {
      if (name === LOOK) return ['look']
      if (name === 'record_delivery_results') return ['part']
      return (name === 'fan_out_events' || name === 'take_deliveries') && isOfAttacker(values) ? ['part'] : []
    })
  const countParts = (): number => steps().filter((step) => step === 'part').length
  // However slow the worker is, somebody waits during more than ten parts.
  let written = 1
  for (; written < 10 || countParts() <= 10; written++) {
    await delay(30)
    await writeEvents(service, other, 1)
    worker.wake()
  }
  await countInState(other, id, 'succeeded', written)
  // Most parts follow a look. Some follow another part: the small rest of a backlog is claimed with the deliveries of others, and nobody waits
  // once those are done. With all parts in one turn, two of three do.
  expect(steps().join(' ').split('part part').length - 1).toBeLessThan(countParts() / 4)
})

describe('a look for work', () => {
  const connectTo = (service: TestService) => {
    const connection = new EngineConnection(service.db)
    onTestFinished(() => connection.close())
    return connection
  }

  it('is followed by another at once when only the process was busy', async ({ service }) => {
    const connection = connectTo(service)
    const areOld = async (): Promise<boolean[]> => {
      const finder = new WorkFinder(connection)
      const found: boolean[] = []
      while (found.length < 3) {
        const look = finder.find(undefined, [])
        await nextRound()
        const until = performance.now() + 100
        while (performance.now() < until);
        found.push((await look).isOld)
      }
      return found
    }
    // On a busy machine Postgres may take long for two of them, too, but not every time.
    await expect.poll(areOld).toEqual([false, false, false])
  })

  it('is followed by a pause when Postgres takes long for it every time', async ({ service }) => {
    const connection = connectTo(service)
    const finder = new WorkFinder(connection)
    const slowFunction = `create function pg_temp.slow_outbox() returns setof event_outbox language plpgsql as $$
      begin perform pg_sleep(0.05); return; end $$`
    const slowView = 'create temp view event_outbox as select * from pg_temp.slow_outbox()'
    for (const sql of [slowFunction, slowView]) await connection.run({ name: sql.slice(0, 20), connection: 'write', sql }, [])
    for (let looks = 0; looks < 2; looks++) expect((await finder.find(undefined, [])).isOld).toBe(false)
    expect((await finder.find(undefined, [])).isOld).toBe(true)
  })
})

it('a result that cannot be recorded does not block other results', async ({
  service,
  attacker,
  other,
  healthy,
  startWorker,
}) => {
  const { id } = await subscribe(attacker, healthy.url)
  const { id: otherId } = await subscribe(other, healthy.url)
  const [bad] = await writeEvents(service, attacker, 5)
  await writeEvents(service, other, 5)
  const allow = await refuse(service, 'finished_deliveries', `new.event_id = '${bad}'`)
  const worker = startWorker()
  await countInState(other, otherId, 'succeeded', 5)
  await countInState(attacker, id, 'succeeded', 4)
  await allow()
  worker.advance(61_000)
  await countInState(attacker, id, 'succeeded', 5)
  expect(healthy.received.filter(({ event }) => event.id === bad)).toHaveLength(2)
})

it('hundreds of receivers that never respond leave slots for another tenant', async ({
  service,
  attacker,
  other,
  healthy,
  startReceiver,
  startWorker,
}) => {
  const silent = await startReceiver(() => {})
  await subscribeManyTimes(service, attacker, silent.url, 300)
  await writeEvents(service, attacker, 5)
  const { id } = await subscribe(other, healthy.url)
  const worker = startWorker()
  await until(() => silent.received.length >= 200, 'the slots to be taken')
  await delay(500)
  for (let n = 1; n <= 10; n++) {
    await writeEvents(service, other, 1)
    worker.wake()
    // Well before the other tenant's requests time out after 15 seconds and free their slots.
    await until(() => healthy.received.length >= n, `event ${n}`, atMost(2_500))
  }
  await countInState(other, id, 'succeeded', 10)
  expect(silent.peak).toBeLessThanOrEqual(256)
})

it('the deliveries of a deleted subscription are deleted later, in batches', async ({ service, attacker, healthy }) => {
  const { id } = await subscribe(attacker, healthy.url)
  const { id: keptId } = await subscribe(attacker, healthy.url)
  await query(
    service,
    `insert into waiting_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, next_attempt_at, created_at)
     select $1, s.id, 'evt_' || n, now(), 'product/deleted', now(), now() from generate_series(1, 3500) n, unnest($2::bigint[]) s (id)`,
    [attacker.id, [id, keptId]],
  )
  const waiting = async (subscription: string) =>
    (await query(service, 'select count(*) as count from waiting_deliveries where subscription_id = $1', [subscription]))[0].count
  await query(service, 'create table pieces (count bigint)')
  await query(
    service,
    `create function note_piece() returns trigger language plpgsql as $$
    begin insert into pieces select count(*) from gone; return null; end $$`,
  )
  await query(
    service,
    `create trigger note_piece after delete on waiting_deliveries referencing old table as gone
    for each statement execute function note_piece()`,
  )
  expect((await attacker.request('DELETE', `/webhooks/${id}`)).status).toBe(200)
  // The service does the same from time to time, and then has the lock.
  await expect
    .poll(async () => {
      await clearDeletedSubscriptions(service.db)
      return await waiting(id)
    })
    .toBe(0)
  expect(await waiting(keptId)).toBe(3_500)
  expect((await query(service, 'select max(count) as most from pieces'))[0].most).toBe(1_000)
  expect(await query(service, 'select from deleted_subscriptions')).toHaveLength(1)
  await query(service, `update deleted_subscriptions set deleted_at = now() - interval '2 minutes'`)
  await clearDeletedSubscriptions(service.db)
  expect(await query(service, 'select from deleted_subscriptions')).toEqual([])
  await query(service, 'drop function note_piece cascade; drop table pieces')
})

it('a replay queues events of the outbox that are older than the subscription', async ({
  service,
  attacker,
  healthy,
  startWorker,
}) => {
  await subscribe(attacker, healthy.url)
  // No engine runs yet.
  await writeEvents(service, attacker, 3)
  const { id } = await subscribe(attacker, healthy.url)
  await writeEvents(service, attacker, 2)
  expect((await attacker.request('POST', `/webhooks/${id}/replay`, { since: '2020-01-01' })).body.data).toEqual({ queued: 3 })
  startWorker()
  await countInState(attacker, id, 'succeeded', 5)
})

it('a replay of many events queues them in batches', async ({ service, attacker, healthy }) => {
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
  const batches = await query(service, 'select count(*) as count from waiting_deliveries group by xmin')
  expect(batches.map(({ count }) => count).toSorted((a, b) => b - a)).toEqual([2_000, 2_000, 500])
})

describe('a tenant has at most 100 subscriptions', () => {
  it('even if two are created at the same time', async ({ service, attacker, healthy }) => {
    const [first] = await subscribeManyTimes(service, attacker, healthy.url, 99)
    await query(service, 'update webhook_subscriptions set active = false where tenant_id = $1 and id = $2', [attacker.id, first])
    const make = () => attacker.request('POST', '/webhooks', { name: 'x', url: healthy.url, events: ['*'] })
    const responses = await Promise.all([make(), make(), make(), make()])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
    expect(responses.find(({ status }) => status === 400)?.body.error).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('at most 100 subscriptions'),
    })
    expect(await query(service, 'select from webhook_subscriptions where tenant_id = $1', [attacker.id])).toHaveLength(100)
    expect((await attacker.request('DELETE', `/webhooks/${first}`)).status).toBe(200)
    expect((await make()).status).toBe(200)
  })
})
