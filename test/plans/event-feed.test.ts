import { describe, expect } from 'vitest'
import { FeedHorizon } from '@fulfillment/server/domain/events/index.ts'
import { maintainAllPartitions } from '@fulfillment/server/maintenance.ts'
import { getEvent } from '@fulfillment/server/domain/events/get-event.ts'
import { listEvents } from '@fulfillment/server/domain/events/list-events.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import { it as base } from './it.ts'

/** Spread over eight whole days: a plan reads a partition of few events as a whole. Every thousandth has another topic. */
const EVENTS = 100_000

/** `it` with the context of a tenant with many events. */
const it = base.extend('context', { scope: 'file' }, async ({ database: { db }, recorder }, { onCleanup }) => {
  await maintainAllPartitions(db)
  const { id: tenantId } = await createTenant(db, 'large')
  await db.dedicatedPool.query(`insert into events (tenant_id, id, topic, created_at, body)
    select ${tenantId}, id, topic, date_trunc('day', now(), 'UTC') + (n - 1) * interval '8 days' / ${EVENTS},
      json_build_object('id', id, 'event', topic, 'created_at', '2026-01-01T00:00:00.000Z', 'data', '{}'::json)
    from (select n, 'evt_1' || lpad(to_hex(nextval('event_sequence')), 23, '0') as id,
      case n % 1000 when 0 then 'product/created' else 'product/updated' end as topic from generate_series(1, ${EVENTS}) n) e`)
  // With many tenants, plans are made for few events of each.
  await db.dedicatedPool.query(`insert into events (tenant_id, id, topic, created_at, body)
    select ${tenantId} + n % 100 + 1, 'evt_1' || lpad(to_hex(nextval('event_sequence')), 23, '0'), 'product/updated',
      date_trunc('day', now(), 'UTC') + (n - 1) * interval '8 days' / 20000, '{}' from generate_series(1, 20000) n`)
  await db.dedicatedPool.query('vacuum analyze events')
  const feedHorizon = new FeedHorizon(db)
  onCleanup(() => feedHorizon.close())
  const caller = { tenantId, defaultWarehouse: { id: 1, name: 'Main' }, keyName: 'test' }
  return { ...recorder.contextOf(caller), feedHorizon }
})

const idOf = (number: number): string => `evt_1${number.toString(16).padStart(23, '0')}`
const day = (offset: number): Date => new Date(Date.now() + offset * 86_400_000)

describe('reading the feed of a tenant with many events', () => {
  const cases: [name: string, query: object, most: number, found: number][] = [
    // `most` counts the first event of each partition and the returned events.
    ['little more than a page shows', {}, 51 + 9, 50],
    ['no more in the middle', { after: idOf(EVENTS / 2) }, 51 + 9, 50],
    ['nothing behind the last event', { after: idOf(EVENTS) }, 9, 0],
    ['little more than a page shows of a rare topic', { event: ['product/created'] }, 51 + 9, 50],
    ['nothing else when there are fewer', { event: ['product/created'], after: idOf(90_500) }, 10 + 9, 10],
    ['nothing of a topic without events', { event: ['order/created'] }, 9, 0],
    ['little more than a page shows of each of several topics', { event: ['product/created', 'order/created'] }, 51 + 2 * 9, 50],
    ['only a part of a long period', { since: day(-1) }, 5_000 + 51 + 9, 50],
    ['newest first, only a part of a long period', { order: 'desc', since: day(-1) }, 5_000 + 51 + 9, 50],
    ['only the days of a period', { since: day(6.9), until: day(7.1) }, 20_000, 50],
    ['only the events of a topic and a period', { event: ['product/created'], since: day(6.9), until: day(7.1) }, 20 + 9, 1],
    ['newest first, little more than a page shows', { order: 'desc' }, 51 + 9, 50],
    ['newest first, no more in the middle', { order: 'desc', after: idOf(EVENTS / 2) }, 51 + 9, 50],
    ['newest first, nothing before the first event', { order: 'desc', after: idOf(1) }, 9, 0],
    ['newest first, little more than a page shows of a rare topic', { order: 'desc', event: ['product/created'] }, 51 + 9, 50],
    ['newest first, nothing of a topic without events', { order: 'desc', event: ['order/created'] }, 9, 0],
    ['newest first, only the days of a period', { order: 'desc', since: day(0.9), until: day(1.1) }, 20_000, 50],
  ]
  it.for(cases)('%s', async ([, query, most, found], { recorder, context }) => {
    let events: unknown[] = []
    const reads = await recorder.readsOf(async () => {
      ;({ events } = await listEvents.run(context, { order: 'asc', limit: 50, event: ['*'], ...query } as never))
    })
    expect(events.length).toBeGreaterThanOrEqual(found)
    expect(reads.whole).toEqual([])
    expect(
      Object.entries(reads.rows)
        .filter(([table]) => table.startsWith('events'))
        .reduce((sum, [, rows]) => sum + rows, 0),
    ).toBeLessThanOrEqual(most)
  })

  it('reads one event by its key', async ({ recorder, context }) => {
    const reads = await recorder.readsOf(() => getEvent.run(context, { id: idOf(777) }))
    expect(reads.whole.filter((table) => table !== 'events_default')).toEqual([])
    expect(Object.values(reads.rows).reduce((sum, rows) => sum + rows, 0)).toBe(1)
  })
})
