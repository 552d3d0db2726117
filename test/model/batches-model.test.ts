import fc from 'fast-check'
import { expect } from 'vitest'
import { type Batch, batchOf, endBatch, orderWith, requestBatch } from '../support/batches.ts'
import { it } from '../support/it.ts'
import { expectConsistentCounts } from '../support/orders.ts'
import { expectConsistentPicking, type PickableProduct, stockedProduct } from '../support/picking.ts'
import type { ServiceResponse, TestService, TestTenant } from '../support/service.ts'
import { expectConsistentStock } from '../support/stock.ts'

const SHORT_MS = 8_000
const LONG_RUNS = Number(process.env.MODEL_RUNS ?? 0)
const LOCATIONS = ['A', 'B', 'C']
/** The runs are not all refusals. */
const OUTCOMES = ['start ok', 'pick ok', 'undo ok', 'complete ok', 'cancel ok']

/** Ordered quantities of products, per order. */
const ORDERS: [product: number, quantity: number][][] = [
  [
    [0, 2],
    [1, 4],
    [0, 1],
  ],
  [[0, 5]],
  [
    [1, 3],
    [0, 2],
  ],
  [[1, 1]],
]

/** What a run works with. */
interface Run {
  tenant: TestTenant
  products: PickableProduct[]
  orders: number[]
  /** Undefined until one is started. */
  batch?: Batch
  picks: number
}
type Step = (run: Run) => Promise<ServiceResponse[] | ServiceResponse>

const request = (run: Run, method: string, path: string, body?: object) => run.tenant.request(method, path, body)
/** The flow in a slot of the batch; an unknown one when there is no such slot. */
const flowIn = ({ batch }: Run, slot: number): number => batch?.slots[slot % batch.slots.length].flow_id ?? 999_999

const quantity = fc.constantFrom(0.5, 1, 1, 2, 3)
const index = fc.nat(3)
const location = fc.constantFrom(...LOCATIONS)

/** Calls of clients, each with any outcome. Names are shown when a run fails. */
const anyStep: fc.Arbitrary<[name: string, Step]> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.subarray([0, 1, 2, 3], { minLength: 1 }).map((numbers): [string, Step] => [
      `start ${numbers.join()}`,
      async (run) => {
        const started = await requestBatch(run.tenant, { order_ids: numbers.map((number) => run.orders[number]) })
        if (started.status === 200) run.batch = started.body.data
        return started
      },
    ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ max_orders: fc.integer({ min: 1, max: 4 }), single_line: fc.boolean() })
      .map((rule): [string, Step] => [
        `start by ${JSON.stringify(rule)}`,
        async (run) => {
          const started = await requestBatch(run.tenant, { rule })
          if (started.status === 200) run.batch = started.body.data
          return started
        },
      ]),
  },
  {
    weight: 14,
    arbitrary: fc.tuple(index, index, location, quantity).map(([slot, product, location_id, amount]): [string, Step] => [
      `pick ${amount} of ${product % 2} at ${location_id} into ${slot}`,
      (run) =>
        request(run, 'POST', `/flows/${flowIn(run, slot)}/picks`, {
          product_id: run.products[product % 2]?.id,
          location_id,
          quantity: amount,
          pick_id: `pick ${++run.picks}`,
        }),
    ]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(index, index)
      .map(([slot, back]): [string, Step] => [
        `undo in ${slot}`,
        (run) => request(run, 'DELETE', `/flows/${flowIn(run, slot)}/picks/pick ${run.picks - back}`),
      ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(index, fc.constantFrom('complete', 'cancel'))
      .map(([slot, call]): [string, Step] => [
        `${call} ${slot}`,
        (run) => request(run, 'POST', `/flows/${flowIn(run, slot)}/${call}`),
      ]),
  },
  {
    weight: 1,
    arbitrary: index.map((number): [string, Step] => [
      `cancel order ${number}`,
      (run) => request(run, 'POST', `/orders/${run.orders[number]}/cancel`),
    ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('complete' as const, 'cancel' as const)
      .map((call): [string, Step] => [`${call} batch`, (run) => endBatch(run.tenant, run.batch ?? { id: 999_999 }, call)]),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(index, location, fc.constantFrom(-2, -0.5, 3)).map(([product, location_id, change]): [string, Step] => [
      `adjust ${product % 2} at ${location_id} by ${change}`,
      (run) =>
        request(run, 'POST', '/stock/adjustment', {
          product_id: run.products[product % 2]?.id,
          location_id,
          adjustment_quantity: change,
        }),
    ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ pickable: fc.boolean(), pick_sequence: fc.constantFrom(null, 1, 2) })
      .chain((fields) => location.map((id) => [id, fields] as const))
      .map(([id, fields]): [string, Step] => [
        `change ${id} to ${JSON.stringify(fields)}`,
        (run) => request(run, 'PUT', `/locations/${id}`, fields),
      ]),
  },
)

async function newRun(service: TestService): Promise<Run> {
  const tenant = await service.newTenant()
  const products: PickableProduct[] = []
  const stocks: Record<string, number>[] = [
    { A: 3, B: 4, C: 1 },
    { A: 2, C: 6 },
  ]
  for (const stock of stocks) products.push(await stockedProduct(tenant, stock, { weighable: true }))
  // All of them exist, so that each can be changed.
  await stockedProduct(tenant, Object.fromEntries(LOCATIONS.map((id) => [id, 1])))
  const orders: number[] = []
  for (const lines of ORDERS)
    orders.push(
      (
        await orderWith(
          tenant,
          lines.map(([product, ordered]) => [products[product] as PickableProduct, ordered]),
        )
      ).id,
    )
  return { tenant, products, orders, picks: 0 }
}

/** Thousandths, so that sums are exact. */
const exact = (amount: number): number => Math.round(amount * 1000)

/** The stops and what is missing, worked out anew: slot by slot, unit by unit, from the flows and the levels. */
async function expectedWay(run: Run, batch: Batch): Promise<{ stops: unknown[]; missing: unknown[] }> {
  const places = await pickablePlaces(run)
  const stops = new Map<string, { place: Place; quantity: number; slots: number[][] }>()
  const missing = new Map<number, number[][]>()
  for (const { slot, flow_id: flow, state } of batch.slots) {
    if (state !== 'started') continue
    const { lines } = (await request(run, 'GET', `/flows/${flow}`)).body.data
    const wanted = new Map<number, number>()
    for (const line of lines) wanted.set(line.product_id, (wanted.get(line.product_id) ?? 0) + exact(line.remaining))
    for (const [product, open] of wanted) {
      let left = open
      for (const place of places.filter((one) => one.product === product)) {
        const taken = Math.min(left, place.quantity)
        if (taken === 0) continue
        place.quantity -= taken
        left -= taken
        const key = `${place.location} ${product}`
        const stop = stops.get(key) ?? { place, quantity: 0, slots: [] }
        stops.set(key, { place, quantity: stop.quantity + taken, slots: [...stop.slots, [slot, flow, taken]] })
      }
      if (left > 0) missing.set(product, [...(missing.get(product) ?? []), [slot, flow, left]])
    }
  }
  const inOrder = [...stops.values()].toSorted((a, b) => places.indexOf(a.place) - places.indexOf(b.place))
  return {
    stops: inOrder.map(({ place, quantity: sum, slots }) => [place.location, place.product, sum, slots]),
    missing: [...missing]
      .toSorted(([a], [b]) => a - b)
      .map(([product, slots]) => [product, slots.reduce((sum, [, , lacking]) => sum + (lacking as number), 0), slots]),
  }
}

interface Place {
  location: string
  product: number
  quantity: number
}

/** Levels at pickable locations in pick order, then by product. */
async function pickablePlaces(run: Run): Promise<Place[]> {
  const { locations } = (await request(run, 'GET', '/locations')).body.data
  const { levels } = (await request(run, 'GET', '/stock/levels?limit=100')).body.data
  const of = new Map<string, Batch>(locations.map((one: Batch) => [one.id, { pickable: true, ...one }]))
  const sequence = (id: string): number => of.get(id)?.pick_sequence ?? Infinity
  return levels
    .filter((level: Batch) => of.get(level.location_id)?.pickable === true)
    .map((level: Batch) => ({ location: level.location_id, product: level.product_id, quantity: exact(level.quantity) }))
    .toSorted((a: Place, b: Place) => {
      const [first, second] = [sequence(a.location), sequence(b.location)]
      if (first !== second) return first < second ? -1 : 1
      return a.location < b.location ? -1 : a.location > b.location ? 1 : a.product - b.product
    })
}

const shares = (slots: Batch[]) => slots.map((share) => [share.slot, share.flow_id, exact(share.quantity)])

/** Stops are what is open and lies there, and the state follows from the flows. */
async function expectBatch(run: Run): Promise<void> {
  if (run.batch === undefined) return
  const batch = await batchOf(run.tenant, run.batch)
  const way = {
    stops: batch.stops.map((stop: Batch) => [stop.location_id, stop.product_id, exact(stop.quantity), shares(stop.slots)]),
    missing: batch.missing.map((one: Batch) => [one.product_id, exact(one.quantity), shares(one.slots)]),
  }
  expect(way).toEqual(await expectedWay(run, batch))
  const states: string[] = batch.slots.map(({ state }: Batch) => state)
  const over = states.every((state) => state === 'cancelled') ? 'cancelled' : 'completed'
  expect(batch.state).toBe(states.includes('started') ? 'started' : over)
  expect(batch.ended_at === null).toBe(batch.state === 'started')
  const { pagination } = (await request(run, 'GET', `/flow-batches?state=${batch.state}&limit=1`)).body.data
  expect(pagination.total).toBeGreaterThan(0)
}

it(
  'stops are always what is open and lies there, whatever is picked, left out, cancelled and moved, also at the same time',
  async ({ service }) => {
    const steps = fc.array(fc.array(anyStep, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 25 })
    const end = LONG_RUNS > 0 ? Infinity : Date.now() + SHORT_MS
    const seen = new Map<string, number>()
    const property = fc.asyncProperty(steps, async (groups) => {
      // A busy machine takes longer to have seen them all.
      if (Date.now() > end && OUTCOMES.every((outcome) => seen.has(outcome))) return
      const run = await newRun(service)
      for (const group of groups) {
        const responses = (await Promise.all(group.map(([, step]) => step(run)))).flat()
        for (const [number, { status, body }] of responses.entries()) {
          expect([200, 400, 404], JSON.stringify(body)).toContain(status)
          const outcome = `${group[number]?.[0].split(' ')[0]} ${status === 200 ? 'ok' : 'refused'}`
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
        }
        await expectBatch(run)
      }
      await expectConsistentStock(service.db, run.tenant)
      await expectConsistentPicking(service.db, run.tenant)
      await expectConsistentCounts(service.db, run.tenant)
    })
    await fc.assert(property, { numRuns: LONG_RUNS || 500 })
    expect(OUTCOMES.filter((outcome) => !seen.has(outcome))).toEqual([])
  },
  LONG_RUNS > 0 ? 0 : undefined,
)
