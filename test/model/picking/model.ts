import type { Call } from './call.ts'

// The required behaviour of the service, in memory and without concurrency. Quantities are in thousandths, so that sums are exact.

interface Line {
  product: number
  ordered: number
  /** From here on the line is fulfilled. */
  least: number
  /** It is never picked beyond this. */
  most: number
  picked: number
  pickedBeforeFlow: number
}

interface Pick {
  /** The parameters of the pick: the same pick_id must have the same ones. */
  asked: string
  response: string
  product: number
  location: number
  quantity: number
  lines: { line: number; quantity: number }[]
  undone: boolean
}

export interface Flow {
  order: number
  state: 'started' | 'completed' | 'cancelled'
  picks: Record<string, Pick>
}

interface Order {
  state: number
  lines: Line[]
  /** Topics of the order's events and `movement` for each of its stock movements, in order. */
  log: string[]
}

export interface Model {
  orders: Order[]
  /** By the id that the service assigned. */
  flows: Record<number, Flow>
  /** By product, then location. */
  stock: number[][]
  movements: number
}

/** A response of the service in terms of the model: `ok` or an error code, and the fields that the model knows. */
export interface Outcome {
  code: string
  /** The id of a created flow or pick. */
  id?: number | string
  told?: string
}

/** Whether each product is weighable, and the tolerance of its picks in percent. */
export const PRODUCTS = [
  { weighable: false, percent: 0 },
  { weighable: true, percent: 12.5 },
]

/** A line of an order, of which nothing is picked. With this tolerance and some thousand units, its bounds are exact. */
export function newLine(product: number, ordered: number): Line {
  const tolerance = (ordered * (PRODUCTS[product]?.percent ?? 0)) / 100
  return { product, ordered, least: ordered - tolerance, most: ordered + tolerance, picked: 0, pickedBeforeFlow: 0 }
}

/** Applies the call to the model. Returns false when the service cannot have given this outcome. */
export function perform(model: Model, call: Call, outcome: Outcome): boolean {
  const expected = STEPS[call.type](model, call as never, outcome)
  return expected.code === outcome.code && (expected.told === undefined || expected.told === outcome.told)
}

const OK: Outcome = { code: 'ok' }
const refuse = (code: string): Outcome => ({ code })

type Steps = { [Type in Call['type']]: (model: Model, call: Extract<Call, { type: Type }>, outcome: Outcome) => Outcome }

const STEPS: Steps = {
  start(model, call, outcome) {
    const order = model.orders[call.order] as Order
    if (order.state === 5 || order.state === 7 || runningFlow(model, call.order) !== undefined) return refuse('flow_error')
    for (const line of order.lines) line.pickedBeforeFlow = line.picked
    model.flows[outcome.id as number] = { order: call.order, state: 'started', picks: {} }
    order.state = 3
    order.log.push('flow/started', 'order/updated')
    const open = order.lines.filter((line) => line.picked < line.least)
    return { ...OK, told: `${open.length} ${sum(open.map((line) => line.ordered - line.picked))}` }
  },

  pick(model, call, outcome) {
    const flow = model.flows[call.flow]
    if (flow === undefined) return refuse('not_found')
    const asked = JSON.stringify([
      call.by === 'line' ? call.line : null,
      call.by === 'line' ? null : call.product,
      call.location,
      call.quantity,
    ])
    const earlier = call.pickId === null ? undefined : flow.picks[call.pickId]
    if (earlier !== undefined) return earlier.asked === asked ? { ...OK, told: earlier.response } : refuse('flow_error')
    const order = model.orders[flow.order] as Order
    const lines = order.lines
      .map((line, index) => ({ ...line, index }))
      .filter((line) => (call.by === 'line' ? line.index === call.line : line.product === call.product))
    const product = call.by === 'line' ? lines[0]?.product : call.product
    if (flow.state !== 'started') return refuse('flow_error')
    if (product === undefined) return refuse('not_found')
    if (PRODUCTS[product]?.weighable !== true && call.quantity % 1000 !== 0) return refuse('validation_error')
    if (sum(lines.map((line) => line.most - line.picked)) < call.quantity) return refuse('flow_error')
    const levels = model.stock[product] as number[]
    if ((levels[call.location] ?? 0) < call.quantity) return refuse('adjustment_error')

    levels[call.location] = (levels[call.location] ?? 0) - call.quantity
    const ofOrdered = shares(
      call.quantity,
      lines.map(({ ordered, picked }) => Math.max(ordered - picked, 0)),
    )
    const ofTolerance = shares(
      call.quantity - sum(ofOrdered),
      lines.map(({ ordered, picked, most }) => most - Math.max(ordered, picked)),
    )
    const taken = []
    for (const [position, { index }] of lines.entries()) {
      const line = order.lines[index] as Line
      const quantity = (ofOrdered[position] ?? 0) + (ofTolerance[position] ?? 0)
      if (quantity === 0) continue
      line.picked += quantity
      taken.push({ line: index, quantity, picked: line.picked })
    }
    move(model, order)
    const response = JSON.stringify(taken.map(({ line, quantity, picked }) => [line, quantity, picked]))
    flow.picks[outcome.id as string] = {
      asked,
      response,
      product,
      location: call.location,
      quantity: call.quantity,
      lines: taken.map(({ line, quantity }) => ({ line, quantity })),
      undone: false,
    }
    return { ...OK, told: response }
  },

  undo(model, call) {
    const flow = model.flows[call.flow]
    const pick = flow?.picks[call.pickId]
    if (flow === undefined || pick === undefined) return refuse('not_found')
    if (pick.undone) return OK
    if (flow.state !== 'started') return refuse('flow_error')
    pick.undone = true
    putBack(model, model.orders[flow.order] as Order, pick)
    return OK
  },

  complete(model, call) {
    const flow = model.flows[call.flow]
    if (flow === undefined) return refuse('not_found')
    if (flow.state !== 'started') return refuse('flow_error')
    const order = model.orders[flow.order] as Order
    const isPicked = order.lines.every((line) => line.picked >= line.least)
    flow.state = 'completed'
    order.state = isPicked ? 5 : 2
    order.log.push('flow/completed', 'order/updated', ...(isPicked ? ['order/completed'] : []))
    return { ...OK, told: totalsOf(flow).join(' ') }
  },

  cancelFlow(model, call) {
    const flow = model.flows[call.flow]
    if (flow === undefined) return refuse('not_found')
    if (flow.state === 'completed') return refuse('flow_error')
    if (flow.state === 'started') {
      const order = model.orders[flow.order] as Order
      cancelFlow(model, flow)
      order.state = 2
      order.log.push('order/updated')
    }
    return { ...OK, told: totalsOf(flow).join(' ') }
  },

  cancelOrder(model, call) {
    const order = model.orders[call.order] as Order
    if (order.state === 5) return refuse('cancel_error')
    if (order.state === 7) return OK
    const flow = runningFlow(model, call.order)
    if (flow !== undefined) cancelFlow(model, flow)
    order.state = 7
    order.log.push('order/cancelled')
    return OK
  },

  putState(model, call) {
    const order = model.orders[call.order] as Order
    const flow = runningFlow(model, call.order)
    if (order.state === 5 || order.state === 7) return refuse('update_error')
    if (call.state === order.state) return OK
    if (flow !== undefined) {
      if (call.state !== 7) return refuse('update_error')
      cancelFlow(model, flow)
    }
    order.state = call.state
    order.log.push('order/updated', ...(call.state === 5 ? ['order/completed'] : call.state === 7 ? ['order/cancelled'] : []))
    return OK
  },

  adjust(model, call) {
    const levels = model.stock[call.product] as number[]
    const quantity = (levels[call.location] ?? 0) + call.change
    if (quantity < 0) return refuse('adjustment_error')
    levels[call.location] = quantity
    model.movements++
    return { ...OK, told: `${quantity}` }
  },

  setLevel(model, call) {
    const levels = model.stock[call.product] as number[]
    const told = `${levels[call.location]} ${call.quantity}`
    levels[call.location] = call.quantity
    model.movements++
    return { ...OK, told }
  },
}

/** Number of lines with picks of the flow that are not undone, and their quantity. */
export function totalsOf(flow: Flow): [items: number, quantity: number] {
  const picks = Object.values(flow.picks).filter((pick) => !pick.undone)
  return [new Set(picks.flatMap((pick) => pick.lines.map(({ line }) => line))).size, sum(picks.map((pick) => pick.quantity))]
}

function runningFlow(model: Model, order: number): Flow | undefined {
  return Object.values(model.flows).find((flow) => flow.order === order && flow.state === 'started')
}

function cancelFlow(model: Model, flow: Flow): void {
  const order = model.orders[flow.order] as Order
  for (const pick of Object.values(flow.picks)) if (!pick.undone) putBack(model, order, pick)
  flow.state = 'cancelled'
  order.log.push('flow/cancelled')
}

function putBack(model: Model, order: Order, pick: Pick): void {
  const levels = model.stock[pick.product] as number[]
  levels[pick.location] = (levels[pick.location] ?? 0) + pick.quantity
  for (const { line, quantity } of pick.lines) (order.lines[line] as Line).picked -= quantity
  move(model, order)
}

function move(model: Model, order: Order): void {
  model.movements++
  order.log.push('movement')
}

/** The quantity, given to the rooms in order. */
function shares(quantity: number, rooms: number[]): number[] {
  let left = quantity
  return rooms.map((room) => {
    const share = Math.min(left, room)
    left -= share
    return share
  })
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)
