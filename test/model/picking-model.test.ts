import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { it } from '../support/it.ts'
import { expectConsistentCounts, newOrder } from '../support/orders.ts'
import { expectConsistentPicking, stockedProduct, type PickableProduct } from '../support/picking.ts'
import type { TestService } from '../support/service.ts'
import { expectConsistentStock } from '../support/stock.ts'
import type { Call } from './picking/call.ts'
import { anyCall, LOCATIONS, resolved, send, type Records } from './picking/calls.ts'
import { newLine, perform, PRODUCTS, type Model, type Outcome } from './picking/model.ts'
import { observe, observeLogs, situationOf } from './picking/observe.ts'

/** `MODEL_RUNS=2000` is the long form, with this number of runs, however long they take. The short form is limited by time. */
const LONG_RUNS = Number(process.env.MODEL_RUNS ?? 0)
const SHORT_MS = 8_000

/** Ordered quantities of products, per order. */
const ORDERS: [product: number, quantity: number][][] = [
  [
    [0, 2],
    [1, 2],
    [0, 3],
  ],
  [
    [1, 3],
    [0, 1],
  ],
  [[1, 2]],
  [
    [0, 2],
    [0, 2],
  ],
]
const STOCK = 8

/** The possible states of the service. Concurrent calls can have several explanations; there is a model for each. */
interface Models {
  candidates: Model[]
}

/** Concurrent calls. In some order, the model must give the same responses one by one, and end in the same state. */
class Calls implements fc.AsyncCommand<Models, Records> {
  readonly calls: { call: Call; withKey: boolean }[]
  readonly focus: boolean
  constructor({ calls, focus }: Pick<Calls, 'calls' | 'focus'>) {
    this.calls = calls
    this.focus = focus
  }
  check(): boolean {
    return true
  }
  async run(models: Models, records: Records): Promise<void> {
    const current = models.candidates[0] as Model
    const calls = this.calls.map(({ call, withKey }) => ({ call: resolved(call, current, this.focus), withKey }))
    const outcomes = await Promise.all(calls.map(({ call, withKey }) => send(records, call, withKey)))
    const made = calls.map(({ call }, index) => ({ call, outcome: outcomes[index] as Outcome }))
    const explanations = models.candidates.flatMap((model) => explain(model, made))
    const actual = await observe(records.db, records)
    const fitting = explanations.filter((model) => isDeepStrictEqual(situationOf(model), actual))
    if (fitting.length === 0)
      throw new Error(`No order explains ${JSON.stringify({ made, before: situationOf(current), after: actual }, null, 1)}`)
    models.candidates = distinct(fitting)
  }
  toString(): string {
    return JSON.stringify({ focus: this.focus, calls: this.calls })
  }
}

/** The models after the calls, one for each order of the calls that explains the outcomes. */
function explain(model: Model, made: { call: Call; outcome: Outcome }[]): Model[] {
  if (made.length === 0) return [model]
  return made.flatMap(({ call, outcome }, index) => {
    const next = structuredClone(model)
    return perform(next, call, outcome) ? explain(next, made.toSpliced(index, 1)) : []
  })
}

function distinct(models: Model[]): Model[] {
  return models.filter((model, index) => models.findIndex((other) => isDeepStrictEqual(other, model)) === index)
}

async function newRun(service: TestService): Promise<{ model: Models; real: Records }> {
  const tenant = await service.newTenant()
  const stock = Object.fromEntries(LOCATIONS.map((location) => [location, STOCK]))
  const products: PickableProduct[] = []
  for (const { weighable, percent } of PRODUCTS)
    products.push(await stockedProduct(tenant, stock, { weighable, pick_tolerance_percent: percent }))
  const orders = []
  for (const lines of ORDERS) {
    const { id } = await newOrder(tenant, {
      order_detail: lines.map(([product, quantity]) => ({ barcode: products[product]?.barcode, quantity })),
    })
    const { body } = await tenant.request('GET', `/orders/${id}`)
    orders.push({ id, lines: body.data.order_detail.map((line: { id: number }) => line.id) })
  }
  const model: Model = {
    orders: ORDERS.map((lines) => ({
      state: 1,
      lines: lines.map(([product, quantity]) => newLine(product, quantity * 1000)),
      log: ['order/created'],
    })),
    flows: {},
    stock: PRODUCTS.map(() => LOCATIONS.map(() => STOCK * 1000)),
    movements: PRODUCTS.length * LOCATIONS.length,
  }
  return { model: { candidates: [model] }, real: { db: service.db, tenant, products, orders, flows: new Map() } }
}

/** Expects the invariants that do not depend on the model. */
async function expectConsistency({ candidates }: Models, records: Records): Promise<void> {
  const { db, tenant } = records
  await expectConsistentStock(db, tenant)
  await expectConsistentPicking(db, tenant)
  await expectConsistentCounts(db, tenant)
  const logs = await observeLogs(db, records)
  expect(candidates.map((model) => model.orders.map((order) => order.log))).toContainEqual(logs)

  const model = candidates[0] as Model
  const total = async (path: string): Promise<number> => (await tenant.request('GET', path)).body.data.pagination.total
  const flows = Object.values(model.flows)
  for (const state of ['started', 'completed', 'cancelled']) {
    expect(await total(`/flows?state=${state}`)).toBe(flows.filter((flow) => flow.state === state).length)
  }
  for (const state of [1, 2, 3, 5, 7]) {
    expect(await total(`/orders?state_id=${state}`)).toBe(model.orders.filter((order) => order.state === state).length)
  }
  expect(await total('/stock/movements')).toBe(model.movements)
}

const callsAtOnce = (max: number) => {
  const calls = fc.array(fc.record({ call: anyCall, withKey: fc.boolean() }), { minLength: 1, maxLength: max })
  return fc.record({ calls, focus: fc.boolean() }).map((fields) => new Calls(fields))
}

it(
  'picking does what its model does, one call at a time and several at the same time',
  async ({ service }) => {
    const commands = fc.commands([callsAtOnce(1), callsAtOnce(4), callsAtOnce(4)], { maxCommands: 40, size: 'max' })
    const end = LONG_RUNS > 0 ? Infinity : Date.now() + SHORT_MS
    const property = fc.asyncProperty(commands, async (commands) => {
      if (Date.now() > end) return
      const { model, real } = await newRun(service)
      await fc.asyncModelRun(() => ({ model, real }), commands)
      await expectConsistency(model, real)
    })
    await fc.assert(property, { numRuns: LONG_RUNS || 1_000 })
  },
  LONG_RUNS > 0 ? 0 : undefined,
)
