import { describe, expect, vi } from 'vitest'
import { FulfillmentClient } from '@fulfillment/sdk'
import { type LiveOptions, sendOrders } from '@fulfillment/server/demo/live/customers.ts'
import { workDock } from '@fulfillment/server/demo/live/dock.ts'
import { Journal } from '@fulfillment/server/demo/live/journal.ts'
import { LiveOperator } from '@fulfillment/server/demo/live/operator.ts'
import { Pace } from '@fulfillment/server/demo/live/pace.ts'
import type { Person } from '@fulfillment/server/demo/live/person.ts'
import { supply } from '@fulfillment/server/demo/live/supplier.ts'
import { newOrder as newDemoOrder } from '@fulfillment/server/demo/new-order.ts'
import { Random } from '@fulfillment/server/demo/random.ts'
import { it } from '../support/it.ts'
import { newOrder } from '../support/orders.ts'
import { stockedProduct, stockOf } from '../support/picking.ts'
import { INBOUND } from '../support/receiving.ts'
import { reserve } from '../support/reservations.ts'
import type { TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'

const PERSON: Person = { name: 'Ada', email: 'ada@example.com', id: 7 }

interface Played extends LiveOptions {
  lines: string[]
  /** Milliseconds that somebody has waited. Nobody really waits. */
  waited: () => number
}

/** A live part that is over when a line is told, or somebody waits, for which `isLast` is true. */
function played(
  { url, key: apiKey }: TestTenant,
  isLast: (happening: { line?: string; ms?: number }, pace: Pace) => boolean,
): Played {
  const over = new AbortController()
  const pace = new Pace(12, over.signal)
  const lines: string[] = []
  let waited = 0
  const endIf = (happening: { line?: string; ms?: number }): void => void (isLast(happening, pace) && over.abort())
  vi.spyOn(pace, 'wait').mockImplementation((ms) => {
    waited += ms
    endIf({ ms })
    return Promise.resolve()
  })
  const journal = new Journal((line) => {
    lines.push(line)
    endIf({ line })
  })
  return { client: new FulfillmentClient({ baseUrl: url, apiKey }), seed: 1, journal, pace, lines, waited: () => waited }
}

describe('the customers of a demo', () => {
  it('tell and count only orders that were created, and skip the numbers of an earlier run at once', async ({ tenant }) => {
    const { barcode } = await newProduct(tenant)
    const order_detail = [{ barcode, quantity: 1 }]
    // Number 1 was refused.
    for (const number of [2, 3, 4]) await newOrder(tenant, { order_tenant_id: `D1-0000${number}`, order_detail })
    const options = played(tenant, ({ ms }) => ms !== undefined)
    await sendOrders(options)
    expect(options.lines).toEqual([expect.stringContaining(' orders D1-00005: ')])
    expect(options.journal.sent).toBe(1)
    expect([...options.journal.states]).toEqual([['D1-00005', 1]])
    const { pagination } = (await tenant.request('GET', '/orders')).body.data
    expect(pagination.total).toBe(4)
  })
})

describe('a demo in which a product was deleted', () => {
  it('orders the other ones, and puts them on their own shelves', async ({ tenant }) => {
    for (const id of ['DOCK', 'A-01', 'A-02']) await tenant.request('POST', '/locations', { id })
    const products = []
    for (let position = 0; position < 5; position++) products.push(await newProduct(tenant))
    for (const { id } of products.slice(0, 4)) await tenant.request('DELETE', `/products/${id}`)
    const last = products[4]!

    await sendOrders(played(tenant, ({ ms }) => ms !== undefined))
    const [order] = (await tenant.request('GET', '/orders?include_details=true')).body.data.orders
    expect(order.order_detail).toMatchObject([{ barcode: last.barcode }])

    await tenant.request('POST', INBOUND.path, { reference: 'PO-1', lines: [{ product_id: last.id, quantity: 1 }] })
    await workDock(
      played(tenant, ({ line }) => line?.includes('receives') === true),
      PERSON,
    )
    expect(await stockOf(tenant, last)).toEqual({ DOCK: 0, 'A-02': 1 })
  })
})

describe('the supplier of a demo', () => {
  it('judges by the default warehouse, and brings what orders wait for there first', async ({ tenant }) => {
    const { body } = await tenant.request('POST', '/warehouses', { name: 'North' })
    await tenant.request('POST', '/locations', { id: 'N-01', warehouse_id: body.data.id })
    await reserve(tenant, 'track')
    const waitedFor = await stockedProduct(tenant, { 'A-01': 3 }, { minimum_threshold: 1 })
    await newOrder(tenant, { order_detail: [{ barcode: waitedFor.barcode, quantity: 10 }] })
    await stockedProduct(tenant, { 'A-01': 100 }, { minimum_threshold: 50 })
    const onlyInNorth = []
    for (let threshold = 10; threshold <= 60; threshold += 10)
      onlyInNorth.push(await stockedProduct(tenant, { 'N-01': 100 }, { minimum_threshold: threshold }))
    let looks = 0
    const options = played(tenant, ({ ms }) => ms !== undefined && ++looks > 1)
    await supply(options)
    expect(options.lines).toEqual([expect.stringContaining('A delivery is announced')])
    const [delivery] = (await tenant.request('GET', INBOUND.path)).body.data.inbound
    const { lines } = (await tenant.request('GET', `${INBOUND.path}/${delivery.id}`)).body.data
    const products = lines.map(({ product_id }: { product_id: number }) => product_id)
    const scarcest = onlyInNorth.toReversed().slice(0, 5)
    expect(products).toEqual([waitedFor, ...scarcest].map(({ id }) => id))
    // The 7 that the order waits for, and something for the next ones.
    expect(lines[0].quantity).toBeGreaterThan(7)
  })
})

describe('an operator of a demo', () => {
  it('finds an order behind a hundred that rest', async ({ tenant }) => {
    const missing = await newProduct(tenant)
    const resting = Array.from({ length: 100 }, (_, index) => `R-${index}`)
    await tenant.request('POST', '/orders', {
      orders: resting.map((order_tenant_id) => ({
        order_tenant_id,
        assembly_date: '2026-11-29',
        order_detail: [{ barcode: missing.barcode, quantity: 1 }],
      })),
    })
    const { barcode } = await stockedProduct(tenant, { 'A-01': 5 })
    const { order_tenant_id: name } = await newOrder(tenant, {
      assembly_date: '2026-11-30',
      order_detail: [{ barcode, quantity: 2 }],
    })
    // With nothing to do, an operator waits for the time of an order.
    const options = played(tenant, ({ ms }, { orderMs }) => ms === orderMs)
    const shared = { met: new Set([name]), resting: new Map(resting.map((order) => [order, Infinity])) }
    await new LiveOperator(options, PERSON, shared).work()
    expect(options.journal).toMatchObject({ completed: 1, walks: 0 })
    expect(options.journal.states.get(name)).toBe(5)
  })
})

describe('the dock of a demo', () => {
  it('takes in more than customers order, also while it takes back returns', async ({ tenant }) => {
    for (const id of ['DOCK', 'A-01']) await tenant.request('POST', '/locations', { id })
    const lines = []
    for (let index = 0; index < 4; index++) lines.push({ product_id: (await newProduct(tenant)).id, quantity: 40 })
    await tenant.request('POST', INBOUND.path, { reference: 'PO-1', lines })
    const options = played(tenant, ({ line }) => line?.includes('closes the delivery') === true)
    await workDock(options, PERSON)
    const ofOrder = Array.from({ length: 1_000 }, (_, number) =>
      newDemoOrder(new Random(`1 order ${number}`), [...Array(200).keys()]).lines.reduce(
        (sum, { quantity }) => sum + quantity,
        0,
      ),
    )
    const ordered = ofOrder.reduce((sum, quantity) => sum + quantity, 0) / ofOrder.length
    const received = (4 * 40 * options.pace.orderMs) / options.waited()
    // Three steps of ten are for returns.
    expect(received * 0.7).toBeGreaterThan(ordered)
  })
})
