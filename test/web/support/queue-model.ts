import { APIError, ConnectionError, type FlowsPickResult, type PickingFlow, type PickingFlowDetails } from '@fulfillment/sdk'
import type { QueueCalls } from '../../../web/scan/queue/attempt.ts'
import type { FlowEntry, PickEntry } from '../../../web/scan/queue/entry.ts'
import { RecordModel } from './record-model.ts'

/** What happens to a request on its way. */
export const WEATHERS = [
  'good',
  'lost before',
  'lost after',
  'busy',
  'limited',
  'still running',
  'proxy page',
  'proxy sign-in',
  'no session',
  'no operator',
  'forbidden',
] as const
export type Weather = (typeof WEATHERS)[number]

export const ADA = 'ada@example.com'

interface Pick {
  line: number
  location: string
  quantity: number
  isUndone: boolean
}

/** A flow on the server. */
export interface ModelFlow {
  state: PickingFlow['state']
  operator: string
  /** Quantity ordered, by line. */
  lines: Map<number, number>
  stock: Map<string, number>
  /** Locations that are not pickable. */
  closed: Set<string>
  picks: Map<string, Pick>
}

const refused = (code: string, status = 400, retryAfterMs?: number): APIError =>
  new APIError({ status, code: code as APIError['code'], message: code, requestId: 'r-1', retryAfterMs })

/** The rules of the server for picks, in memory: a pick_id is carried out once, for ever. */
export class QueueModel implements QueueCalls {
  readonly flows = new Map<number, ModelFlow>()
  readonly records = new RecordModel()
  /** Of the next requests; good weather after them. */
  weathers: Weather[] = []
  /** How often each pick changed the stock. */
  readonly carriedOut = new Map<string, number>()

  constructor() {
    for (const id of [1, 2]) {
      const stock = new Map([
        ['A', 4],
        ['B', 3],
      ])
      const lines = new Map([
        [id * 10, 3],
        [id * 10 + 1, 2],
      ])
      this.flows.set(id, { state: 'started', operator: ADA, lines, stock, closed: new Set(), picks: new Map() })
    }
  }

  pick = (entry: PickEntry): Promise<FlowsPickResult> => this.#through(() => this.#pick(entry))
  undo = (entry: PickEntry): Promise<FlowsPickResult> => this.#through(() => this.#undo(entry))
  complete = ({ flow_id }: FlowEntry): Promise<PickingFlow> => this.#through(() => this.#complete(flow_id))
  readFlow = (id: number): Promise<PickingFlowDetails> => this.#through(() => this.#details(id))
  receive: QueueCalls['receive'] = (entry) => this.#through(() => this.records.receive(entry))
  undoReceipt: QueueCalls['undoReceipt'] = (entry) => this.#through(() => this.records.undoReceipt(entry))
  enterCount: QueueCalls['enterCount'] = (entry) => this.#through(() => this.records.enterCount(entry))
  readRecord: QueueCalls['readRecord'] = (ref) => this.#through(() => this.records.read(ref))

  isActive(flowId: number, pickId: string): boolean {
    return this.flows.get(flowId)?.picks.get(pickId)?.isUndone === false
  }

  async #through<T>(run: () => T | Promise<T>): Promise<T> {
    const weather = this.weathers.shift() ?? 'good'
    if (weather === 'lost before') throw new ConnectionError('lost')
    if (weather === 'busy') throw refused('service_unavailable', 503)
    if (weather === 'limited') throw refused('rate_limit_exceeded', 429)
    if (weather === 'still running') throw refused('idempotency_conflict', 409, 1_000)
    if (weather === 'proxy page') throw refused('unexpected_response', 404)
    if (weather === 'proxy sign-in') throw refused('unexpected_response', 401)
    if (weather === 'no session') throw refused('no_session', 401)
    if (weather === 'no operator') throw refused('operator_required', 403)
    if (weather === 'forbidden') throw refused('ip_not_allowed', 403)
    const result = await run()
    if (weather === 'lost after') throw new ConnectionError('lost')
    return result
  }

  #pick({ flow_id, pick_id, body }: PickEntry): FlowsPickResult {
    const flow = this.#flow(flow_id)
    const known = flow.picks.get(pick_id)
    if (known === undefined) {
      if (flow.state !== 'started' || flow.operator !== ADA) throw refused('flow_error')
      if (this.#remaining(flow, body.order_detail_id) < body.quantity) throw refused('flow_error')
      if (flow.closed.has(body.location_id)) throw refused('flow_error')
      const level = flow.stock.get(body.location_id) ?? 0
      if (level < body.quantity) throw refused('adjustment_error')
      flow.stock.set(body.location_id, level - body.quantity)
      flow.picks.set(pick_id, {
        line: body.order_detail_id,
        location: body.location_id,
        quantity: body.quantity,
        isUndone: false,
      })
      this.carriedOut.set(pick_id, (this.carriedOut.get(pick_id) ?? 0) + 1)
    } else if (known.location !== body.location_id || known.quantity !== body.quantity) throw refused('flow_error')
    return this.#result(flow_id, pick_id)
  }

  #undo({ flow_id, pick_id }: PickEntry): FlowsPickResult {
    const flow = this.#flow(flow_id)
    const pick = flow.picks.get(pick_id)
    if (pick === undefined) throw refused('not_found', 404)
    if (!pick.isUndone) {
      if (flow.state !== 'started' || flow.operator !== ADA) throw refused('flow_error')
      pick.isUndone = true
      flow.stock.set(pick.location, (flow.stock.get(pick.location) ?? 0) + pick.quantity)
    }
    return this.#result(flow_id, pick_id)
  }

  #complete(id: number): PickingFlow {
    const flow = this.#flow(id)
    if (flow.state !== 'started' || flow.operator !== ADA) throw refused('flow_error')
    flow.state = 'completed'
    return this.#details(id)
  }

  #flow(id: number): ModelFlow {
    const flow = this.flows.get(id)
    if (flow === undefined) throw refused('not_found', 404)
    return flow
  }

  #remaining({ lines, picks }: ModelFlow, line: number): number {
    const taken = [...picks.values()].filter((pick) => pick.line === line && !pick.isUndone)
    return (lines.get(line) ?? 0) - taken.reduce((sum, { quantity }) => sum + quantity, 0)
  }

  #result(flowId: number, pickId: string): FlowsPickResult {
    const { lines, picks } = this.#details(flowId)
    const pick = picks.find(({ id }) => id === pickId) ?? { id: pickId, quantity: 0 }
    return { pick, lines } as unknown as FlowsPickResult
  }

  #details(id: number): PickingFlowDetails {
    const flow = this.#flow(id)
    const locations = [...flow.stock]
      .filter(([location_id]) => !flow.closed.has(location_id))
      .map(([location_id, quantity]) => ({ location_id, location_code: location_id, quantity }))
    const lines = [...flow.lines.keys()].map((line) => ({
      order_detail_id: line,
      quantity: flow.lines.get(line) ?? 0,
      picked_quantity: (flow.lines.get(line) ?? 0) - this.#remaining(flow, line),
      remaining: this.#remaining(flow, line),
      locations,
    }))
    const picks = [...flow.picks]
      .filter(([, { isUndone }]) => !isUndone)
      .map(([id, { quantity }]) => ({ id, quantity, lines: [] }))
    return { id, state: flow.state, operator_email: flow.operator, lines, picks } as unknown as PickingFlowDetails
  }
}
