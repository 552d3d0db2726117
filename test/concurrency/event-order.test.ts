import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { it as base } from '../support/it.ts'
import { newOrder } from '../support/orders.ts'
import { OPERATOR, stockedProduct, type PickableProduct } from '../support/picking.ts'
import { send, type ServiceResponse } from '../support/service.ts'
import { expectConsistentStock } from '../support/stock.ts'

/** The number of events to reach; a busy machine stops earlier, after `WORK_MS`. */
const EVENTS = 3_000
const WORK_MS = 15_000
const LOCATIONS = ['A', 'B'] as const

/** Sends a request to one of the two servers. */
type Ask = (server: number, method: string, path: string, body?: unknown) => Promise<ServiceResponse>

/** `second` is a second server on the same database. */
const it = base
  .extend('second', async ({ service, startProcess }) => {
    return await startProcess({ DATABASE_URL: service.databaseUrl, ROLE: 'api', LOG_LEVEL: 'silent' })
  })
  .extend(
    'ask',
    async ({ service, second, tenant }): Promise<Ask> =>
      (server, method, path, body) =>
        send(`${server % 2 === 0 ? service.url : second.url}/api/v1${path}`, method, body, { key: tenant.key }),
  )

interface FeedEvent {
  id: string
  event: string
  // Each test reads the fields that it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

/** Reads the feed through one server until `isDone` returns true, and then to its end. */
async function follow(
  ask: Ask,
  server: number,
  isDone: () => boolean,
  last: () => Promise<string | undefined>,
): Promise<FeedEvent[]> {
  const seen: FeedEvent[] = []
  for (;;) {
    const after = seen.at(-1)?.id
    const { status, body } = await ask(server, 'GET', `/events?limit=100${after === undefined ? '' : `&after=${after}`}`)
    if (status === 503) continue
    expect([status, body.error]).toEqual([200, undefined])
    seen.push(...body.data.events)
    if (body.data.events.length === 0 && isDone() && after === (await last())) return seen
  }
}

/** Repeats a call. A rejected call has no events. On a busy machine, a call may also be rejected because no connection is free. */
async function work(isEnough: () => boolean, call: (turn: number) => Promise<ServiceResponse>): Promise<void> {
  for (let turn = 0; !isEnough(); turn++) {
    const { status } = await call(turn)
    expect(status).not.toBe(500)
  }
}

const isOf = (topic: string) => (event: FeedEvent) => event.event.startsWith(topic)

/** The events of each record, in the order of the feed. */
function byRecord(events: readonly FeedEvent[], topic: string, keyOf: (data: FeedEvent['data']) => unknown): FeedEvent[][] {
  return [...Map.groupBy(events.filter(isOf(topic)), ({ data }) => String(keyOf(data))).values()]
}

async function writers(
  ask: Ask,
  isEnough: () => boolean,
  products: readonly PickableProduct[],
  orders: readonly number[],
  flows: readonly number[],
): Promise<void> {
  const level = () => ({ product_id: any(products).id, location_id: any(LOCATIONS) })
  const pickers = flows.flatMap((flow, index) => [
    work(isEnough, () =>
      ask(index, 'POST', `/flows/${flow}/picks`, {
        barcode: any(products).barcode,
        location_id: any(LOCATIONS),
        quantity: 1,
      }),
    ),
  ])
  const others = [0, 1].flatMap((server) => [
    work(isEnough, (turn) =>
      ask(server, 'POST', '/stock/adjustment', {
        ...level(),
        adjustment_quantity: turn % 2 === 0 ? 3 : -2,
      }),
    ),
    work(isEnough, () => {
      const [from_location_id, to_location_id] = Math.random() < 0.5 ? LOCATIONS : LOCATIONS.toReversed()
      return ask(server, 'POST', '/stock/transfer', {
        product_id: any(products).id,
        from_location_id,
        to_location_id,
        quantity: 1,
      })
    }),
    work(isEnough, async (turn) => {
      await delay(50)
      return ask(server, 'POST', '/stock/bulk', {
        updates: products.flatMap(({ id }) =>
          LOCATIONS.map((location_id) => ({ product_id: id, location_id, quantity: 500 + (turn % 50) })),
        ),
      })
    }),
    work(isEnough, (turn) => ask(server, 'PUT', `/orders/${any(orders)}`, { customer_name: `${server} ${turn}` })),
    work(isEnough, (turn) => ask(server, 'PUT', `/products/${any(products).id}`, { name: `one ${server} ${turn}` })),
    work(isEnough, (turn) =>
      ask(server, 'POST', '/products/bulk', {
        products: products.map(({ barcode }) => ({ barcode, name: `bulk ${server} ${turn}` })),
      }),
    ),
  ])
  await Promise.all([...pickers, ...others])
  for (const [index, flow] of flows.entries())
    await ask(index, 'POST', `/flows/${flow}/${index % 3 === 0 ? 'cancel' : 'complete'}`, {})
  for (const [index, order] of orders.entries())
    await ask(index, 'PUT', `/orders/${order}`, { state_id: index % 2 === 0 ? 5 : 2 })
}

it('replaying the feed through two servers reproduces every level, order, flow and product', async ({ service, tenant, ask }) => {
  const products = await Promise.all([1, 2, 3].map(() => stockedProduct(tenant, { A: 500, B: 500 })))
  const details = products.map(({ barcode }) => ({ barcode, quantity: 100_000 }))
  const picked = await Promise.all(Array.from({ length: 8 }, () => newOrder(tenant, { order_detail: details })))
  const flows: number[] = []
  for (const { id } of picked) flows.push((await tenant.request('POST', '/flows', { order_id: id, ...OPERATOR })).body.data.id)
  const orders = (await Promise.all([1, 2, 3, 4].map(() => newOrder(tenant, { order_detail: details })))).map(({ id }) => id)

  let isDone = false
  const stored = async (): Promise<string[]> =>
    (await service.db.dedicatedPool.query('select id from events where tenant_id = $1 order by id', [tenant.id])).rows.map(
      ({ id }) => id,
    )
  const followers = [0, 1, 0, 1].map((server) =>
    follow(
      ask,
      server,
      () => isDone,
      async () => (await stored()).at(-1),
    ),
  )
  let isEnough = false
  const written = writers(ask, () => isEnough, products, [...orders, ...picked.map(({ id }) => id)], flows)
  for (const end = performance.now() + WORK_MS; performance.now() < end && (await stored()).length < EVENTS;) await delay(100)
  isEnough = true
  await written
  isDone = true
  const feeds = await Promise.all(followers)

  const ids = await stored()
  expect(ids.length).toBeGreaterThan(300)
  for (const feed of feeds) expect(feed.map(({ id }) => id)).toEqual(ids)
  const events = feeds[0] as FeedEvent[]

  // Levels: each event continues from the quantity of the previous one, and the last event has the current quantity.
  const levels = byRecord(events, 'stock/updated', ({ product_id, location_id }) => [product_id, location_id])
  expect(levels).toHaveLength(6)
  for (const level of levels) {
    const jumps = level.filter(({ data }, index) => data.previous_quantity !== (level[index - 1]?.data.quantity ?? 0))
    expect(jumps).toEqual([])
    const { product_id, location_id, quantity } = level.at(-1)?.data ?? {}
    const { rows } = await service.db.dedicatedPool.query(
      'select quantity::float8 from stock_levels where tenant_id = $1 and product_id = $2 and location_id = $3',
      [tenant.id, product_id, location_id],
    )
    expect(rows).toEqual([{ quantity }])
  }
  for (const movements of byRecord(events, 'stock/movement_created', (data) => [
    data.product_id,
    data.to_location ?? data.from_location,
  ])) {
    const kinds = movements.filter(({ data }) => data.type !== 'transfer').map(({ data }) => Number(data.movement_id))
    expect(kinds).toEqual(kinds.toSorted((a, b) => a - b))
  }

  // Orders: each event continues from the state of the previous one, and timestamps never decrease.
  for (const order of byRecord(events, 'order/', ({ order_id }) => order_id)) {
    const [created, ...changes] = order as [FeedEvent, ...FeedEvent[]]
    expect(created.event).toBe('order/created')
    const updates = changes.filter(isOf('order/updated')).map(({ data }) => data)
    expect(updates.filter((data, index) => data.previous_state_id !== (updates[index - 1] ?? created.data).state_id)).toEqual([])
    const times = updates.map(({ updated_at }) => updated_at)
    expect(times).toEqual(times.toSorted())
    const { rows } = await service.db.dedicatedPool.query('select state_id from orders where tenant_id = $1 and id = $2', [
      tenant.id,
      created.data.order_id,
    ])
    expect(rows).toEqual([{ state_id: (updates.at(-1) ?? created.data).state_id }])
  }

  // Flows: each has a start and an end event, with the picked quantity.
  const ended = byRecord(events, 'flow/', ({ flow_id }) => flow_id)
  expect(ended).toHaveLength(flows.length)
  for (const flow of ended) {
    expect(flow.map(({ event }) => event)).toEqual(['flow/started', expect.stringMatching(/^flow\/(completed|cancelled)$/)])
    const { rows } = await service.db.dedicatedPool.query('select state from picking_flows where tenant_id = $1 and id = $2', [
      tenant.id,
      flow[0]?.data.flow_id,
    ])
    expect(rows).toEqual([{ state: flow[1]?.event.slice('flow/'.length) }])
  }

  // Products: the last event has the current name of the product.
  for (const product of byRecord(events, 'product/', ({ product_id }) => product_id)) {
    const times = product.slice(1).map(({ data }) => data.updated_at)
    expect(times).toEqual(times.toSorted())
    const { rows } = await service.db.dedicatedPool.query('select name from products where tenant_id = $1 and id = $2', [
      tenant.id,
      product[0]?.data.product_id,
    ])
    expect(rows).toEqual([{ name: product.at(-1)?.data.name }])
  }
  await expectConsistentStock(service.db, tenant)
})
