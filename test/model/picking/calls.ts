import fc from 'fast-check'
import type { Database } from '@fulfillment/server/database/database.ts'
import type { TestTenant } from '../../support/service.ts'
import { OPERATOR } from '../../support/picking.ts'
import type { Call } from './call.ts'
import type { Model, Outcome } from './model.ts'

/** The records of the service behind the numbers in calls. */
export interface Records {
  db: Database
  tenant: TestTenant
  products: { id: number; barcode: string }[]
  orders: { id: number; lines: number[] }[]
  /** The order of each flow. */
  flows: Map<number, number>
}

export const LOCATIONS = ['A', 'B']
const ORDERS = 4
const PRODUCTS = 2
/** Lower and upper bounds of lines of 2 and 3, what is between, and next to them. */
const NEAR_BOUNDS = [250, 251, 375, 500, 1750, 1749, 2250, 2251, 2625, 3375]

const order = fc.nat(ORDERS - 1)
const product = fc.nat(PRODUCTS - 1)
const location = fc.nat(LOCATIONS.length - 1)
/** A flow, by its position from the newest one. */
const flow = fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, fc.nat(8))
const pickId = fc.constantFrom('scan 1', 'scan 2', 'scan/3')
const quantity = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(1000, 2000, 3000) },
  fc.constantFrom(1250, 4000, ...NEAR_BOUNDS),
)

const type = <Type extends Call['type']>(type: Type) => fc.constant(type)

/** A call, with its flow by position from the newest one. */
export const anyCall: fc.Arbitrary<Call> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: type('start'), order }) },
  {
    weight: 14,
    arbitrary: fc.record({
      type: type('pick'),
      flow,
      by: fc.constantFrom('barcode', 'product', 'line'),
      product,
      line: fc.nat(3),
      location,
      quantity,
      pickId: fc.option(pickId, { freq: 2 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: type('undo'), flow, pickId }) },
  { weight: 3, arbitrary: fc.record({ type: type('complete'), flow }) },
  { weight: 2, arbitrary: fc.record({ type: type('cancelFlow'), flow }) },
  { weight: 1, arbitrary: fc.record({ type: type('cancelOrder'), order }) },
  { weight: 2, arbitrary: fc.record({ type: type('putState'), order, state: fc.constantFrom(1, 2, 2, 2, 3, 3, 3, 5, 7) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: type('adjust'), product, location, change: fc.constantFrom(-3000, -1000, -500, 2000, 5000) }),
  },
  { weight: 1, arbitrary: fc.record({ type: type('setLevel'), product, location, quantity: fc.constantFrom(0, 2000, 6000) }) },
)

/** The call with the id of its flow. With `focus`, the flow is the newest running one, if there is one. */
export function resolved(call: Call, model: Model, focus: boolean): Call {
  if (!('flow' in call)) return call
  const flows = Object.keys(model.flows)
    .map(Number)
    .toSorted((a, b) => b - a)
  const running = flows.find((id) => model.flows[id]?.state === 'started')
  return { ...call, flow: (focus ? running : undefined) ?? flows[call.flow] ?? 0 }
}

let keys = 0

/**
 * Makes the call. With an Idempotency-Key, the service uses a connection for the call, so that such calls really run concurrently. Calls
 * without one share few connections.
 */
export async function send(records: Records, call: Call, withKey: boolean): Promise<Outcome> {
  const [method, path, body] = REQUESTS[call.type](records, call as never)
  const options = withKey && method === 'POST' ? { headers: { 'idempotency-key': `${++keys}` } } : {}
  const response = await records.tenant.request(method, path, body, options)
  if (response.status !== 200) return { code: response.body.error.code }
  return { code: 'ok', ...toldBy(records, call, response.body.data) }
}

/** An id that does not exist. */
const NONE = 999_999_999

type Request = [method: string, path: string, body?: object]
type Requests = { [Type in Call['type']]: (records: Records, call: Extract<Call, { type: Type }>) => Request }

const flowPath = ({ flow }: { flow: number }): string => `/flows/${flow || NONE}`

const REQUESTS: Requests = {
  start: ({ orders }, { order }) => ['POST', '/flows', { order_id: orders[order]?.id, ...OPERATOR }],
  pick(records, call) {
    const at = { location_id: LOCATIONS[call.location], quantity: call.quantity / 1000 }
    return ['POST', `${flowPath(call)}/picks`, { ...nameOf(records, call), ...at, pick_id: call.pickId }]
  },
  undo: (_, call) => ['DELETE', `${flowPath(call)}/picks/${encodeURIComponent(call.pickId)}`],
  complete: (_, call) => ['POST', `${flowPath(call)}/complete`],
  cancelFlow: (_, call) => ['POST', `${flowPath(call)}/cancel`],
  cancelOrder: ({ orders }, { order }) => ['POST', `/orders/${orders[order]?.id}/cancel`],
  putState: ({ orders }, { order, state }) => ['PUT', `/orders/${orders[order]?.id}`, { state_id: state }],
  adjust({ products }, { product, location, change }) {
    const at = { product_id: products[product]?.id, location_id: LOCATIONS[location] }
    return ['POST', '/stock/adjustment', { ...at, adjustment_quantity: change / 1000 }]
  },
  setLevel({ products }, { product, location, quantity }) {
    return ['PUT', `/stock/product/${products[product]?.id}`, { location_id: LOCATIONS[location], quantity: quantity / 1000 }]
  },
}

function nameOf({ products, orders, flows }: Records, call: Extract<Call, { type: 'pick' }>): object {
  if (call.by === 'barcode') return { barcode: products[call.product]?.barcode }
  if (call.by === 'product') return { product_id: products[call.product]?.id }
  return { order_detail_id: orders[flows.get(call.flow) ?? 0]?.lines[call.line] ?? NONE }
}

const thousandths = (quantity: number): number => Math.round(quantity * 1000)

// oxlint-disable-next-line typescript/no-explicit-any
function toldBy({ orders, flows }: Records, call: Call, data: any): Omit<Outcome, 'code'> {
  switch (call.type) {
    case 'start':
      flows.set(data.id, call.order)
      return { id: data.id, told: `${data.items_to_pick} ${thousandths(data.total_quantity)}` }
    case 'pick': {
      const lines = orders[flows.get(call.flow) ?? 0]?.lines ?? []
      const taken = data.pick.lines.map((line: { order_detail_id: number; quantity: number }, index: number) => [
        lines.indexOf(line.order_detail_id),
        thousandths(line.quantity),
        thousandths(data.lines[index].picked_quantity),
      ])
      return { id: data.pick.id, told: JSON.stringify(taken) }
    }
    case 'complete':
    case 'cancelFlow':
      return { told: `${data.items_picked} ${thousandths(data.total_quantity_picked)}` }
    case 'adjust':
      return { told: `${thousandths(data.stock.new_quantity)}` }
    case 'setLevel':
      return { told: `${thousandths(data.previous_quantity)} ${thousandths(data.new_quantity)}` }
    default:
      return {}
  }
}
