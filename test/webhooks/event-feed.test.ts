import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestService, TestTenant } from '../support/service.ts'
import { startApi, writeEvents } from './support/deliveries.ts'
import { until } from './support/receiver.ts'

let service: TestService
let tenant: TestTenant
beforeAll(async () => {
  service = await startApi()
})
afterAll(() => service.stop())
beforeEach(async () => {
  tenant = await service.newTenant()
})

interface Page {
  events: { id: string; event: string; created_at: string; data: Record<string, unknown> }[]
  next_cursor: string | null
}

async function feed(query = ''): Promise<Page> {
  return (await tenant.request('GET', `/events?${query}`)).body.data
}

/** Reads the feed until it holds the event; transactions of other tests may hold it back for a moment. */
async function feedWith(id: string | undefined, query = ''): Promise<Page> {
  let page = await feed(query)
  await until(async () => {
    page = await feed(query)
    return page.events.some((event) => event.id === id)
  }, `event ${id} in the feed`)
  return page
}

describe('the feed of events', () => {
  it('holds every event of the tenant, oldest first, subscribed to or not', async () => {
    const product = await tenant.request('POST', '/products', { name: 'Cup', barcode: 'cup' })
    await tenant.request('PUT', `/products/${product.body.data.id}`, { price: 4 })
    await writeEvents(service, await service.newTenant(), 1)
    const [last] = await writeEvents(service, tenant, 1)
    const { events, next_cursor } = await feedWith(last)
    expect(events.map(({ event }) => event)).toEqual(['product/created', 'product/updated', 'product/deleted'])
    expect(events[0]).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
      event: 'product/created',
      created_at: expect.any(String),
      data: expect.any(Object),
    })
    expect(next_cursor).toBeNull()
    expect((await tenant.request('GET', `/events/${events[1]?.id}`)).body.data).toEqual(events[1])
  })

  it('is read page by page without gap or repetition', async () => {
    const ids = await writeEvents(service, tenant, 25)
    await feedWith(ids.at(-1))
    const read: string[] = []
    for (let query = 'limit=10'; ;) {
      const { events, next_cursor } = await feed(query)
      read.push(...events.map(({ id }) => id))
      if (next_cursor === null) break
      query = `limit=10&cursor=${next_cursor}`
    }
    expect(read).toEqual(ids)
    expect(await feed(`cursor=${ids.at(-1)}`)).toEqual({ events: [], next_cursor: null })
  })

  it('goes on behind `after` as behind `cursor`, and refuses two that differ', async () => {
    const [first, second, third] = await writeEvents(service, tenant, 3)
    await feedWith(third)
    const idsBehind = async (query: string) => (await feed(query)).events.map(({ id }) => id)
    expect(await idsBehind(`after=${first}`)).toEqual([second, third])
    expect(await idsBehind(`cursor=${first}`)).toEqual([second, third])
    expect(await idsBehind(`cursor=${first}&after=${first}`)).toEqual([second, third])
    const { status, body } = await tenant.request('GET', `/events?cursor=${first}&after=${second}`)
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ code: 'validation_error', message: 'cursor: must be the same as after, or be given without it' }),
    ])
  })

  it('never skips an event that is committed late', async () => {
    const [first] = await writeEvents(service, tenant, 1)
    await feedWith(first)
    const { promise: held, resolve: commit } = Promise.withResolvers<void>()
    const { promise: written, resolve: hasWritten } = Promise.withResolvers<string[]>()
    const late = service.db.transaction(async (tx) => {
      hasWritten(await writeEvents({ db: tx }, tenant, 1))
      await held
    })
    const lateIds = await written
    const early = await writeEvents(service, tenant, 3)

    // The early events are committed, but a reader who saw them would go on behind the late one.
    const before = await feedWith(first)
    expect(before.events.map(({ id }) => id)).toEqual([first])
    commit()
    await late
    const after = await feedWith(early.at(-1), `after=${first}`)
    expect(after.events.map(({ id }) => id)).toEqual([...lateIds, ...early])
  })

  it('follows 8 parallel writers without missing or repeating an event', async () => {
    const seen: string[] = []
    let writing = true
    const reader = (async () => {
      for (let last = ''; ;) {
        const done = !writing
        const { events } = await feed(`limit=7${last === '' ? '' : `&after=${last}`}`)
        seen.push(...events.map(({ id }) => id))
        last = events.at(-1)?.id ?? last
        if (done && events.length === 0) return
      }
    })()
    const writers = Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 10; n++) await service.db.transaction((tx) => writeEvents({ db: tx }, tenant, 2))
    })
    await Promise.all(writers)
    const { rows } = await service.db.pool.query('select id from events where tenant_id = $1 order by id', [tenant.id])
    await feedWith(rows.at(-1)?.id, `after=${rows.at(-2)?.id}`)
    writing = false
    await reader
    expect(seen).toEqual(rows.map(({ id }) => id))
  })

  it('is filtered by topic and time', async () => {
    const [first] = await writeEvents(service, tenant, 1, 'product/created')
    await new Promise((resolve) => setTimeout(resolve, 5))
    const [second] = await writeEvents(service, tenant, 1, 'product/deleted')
    const { events } = await feedWith(second)
    const at = events[1]?.created_at ?? ''
    const today = at.slice(0, 10)
    const idsOf = async (query: string) => (await feed(query)).events.map(({ id }) => id)
    expect(await idsOf('event=product/created')).toEqual([first])
    expect(await idsOf(`since=${at}`)).toEqual([second])
    expect(await idsOf(`until=${at}`)).toEqual([first, second])
    expect(await idsOf(`until=${events[0]?.created_at}`)).toEqual([first])
    expect(await idsOf(`since=${today}&until=${today}`)).toEqual([first, second])
    expect(await idsOf('until=2020-01-01')).toEqual([])
    expect(await idsOf('since=2999-01-01')).toEqual([])
    expect(await idsOf('since=0001-01-01&until=9999-12-31T23:59:59-23:59'.replace('+', '%2B'))).toEqual([first, second])
  })

  it.each([
    'event=order/unknown',
    'since=yesterday',
    'until=2026-02-30',
    'after=abc',
    'cursor=abc',
    'after=evt_test_000000000000000000000000',
    'limit=0',
  ])('refuses %s', async (query) => {
    const { status, body } = await tenant.request('GET', `/events?${query}`)
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
  })

  it('has no event of another tenant', async () => {
    const [id] = await writeEvents(service, await service.newTenant(), 1)
    const { status, body } = await tenant.request('GET', `/events/${id}`)
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })
})
