import { setTimeout as delay } from 'node:timers/promises'
import { send, type ServiceResponse } from '../../support/service.ts'

/** A write and its outcome as known to the caller. */
export interface Write {
  requestId: string
  /** Identifies the write in the database: the client's order identifier, or the reason of a movement. */
  mark: string
  kind: 'order' | 'movement'
  /** `unknown`: no response, or 503. */
  outcome: 'acknowledged' | 'refused' | 'unknown'
  /** The caller repeats the write until it is acknowledged. */
  isRepeated: boolean
}

interface Product {
  id: number
  barcode: string
}

type Call =
  | { outcome: 'acknowledged'; data: Record<string, never> & { [field: string]: unknown } }
  | { outcome: 'refused' | 'unknown' }

const CLIENTS = 8
const PAUSE_MS = 50
const LOCATIONS = ['A', 'B', 'C', 'D']

/** Errors that a correct server returns when calls conflict, or when a caller repeats a call with unknown outcome. */
const EXPECTED_ERRORS = new Set(['adjustment_error', 'flow_error', 'update_error', 'cancel_error', 'idempotency_conflict'])

/** Clients that continuously make all kinds of writes and record their outcomes. */
export class Load {
  readonly writes: Write[] = []
  /** Responses that a correct server never returns. */
  readonly faults: string[] = []
  readonly #url: string
  readonly #key: string
  readonly #products: readonly Product[]
  readonly #clients: Promise<void>[]
  readonly #thinkMs: number
  #stopping = false
  #count = 0

  /** `thinkMs`: how long a client waits after each write. */
  constructor(url: string, key: string, products: readonly Product[], { thinkMs = 0 } = {}) {
    this.#url = url
    this.#key = key
    this.#products = products
    this.#thinkMs = thinkMs
    this.#clients = Array.from({ length: CLIENTS }, () => this.#work())
  }

  get acknowledged(): number {
    return this.writes.filter(({ outcome }) => outcome === 'acknowledged').length
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#clients)
  }

  async #work(): Promise<void> {
    const kinds = [
      () => this.#createOrders(1),
      () => this.#createOrders(3),
      () => this.#adjust(5),
      () => this.#adjust(-1),
      () => this.#adjustOnce(),
      () => this.#transfer(),
      () => this.#setMany(),
      () => this.#pickOrder(),
    ]
    while (!this.#stopping) {
      await (kinds[Math.floor(Math.random() * kinds.length)] as () => Promise<unknown>)()
      if (this.#thinkMs > 0) await delay(this.#thinkMs)
    }
  }

  async #createOrders(count: number): Promise<string[]> {
    const marks = Array.from({ length: count }, () => `order-${++this.#count}`)
    const orders = marks.map((mark) => ({
      order_tenant_id: mark,
      assembly_date: '2030-01-31',
      order_detail: [this.#anyProduct(), this.#anyProduct()].map(({ barcode }) => ({ barcode, quantity: 2 })),
    }))
    const requestId = this.#newRequestId()
    const { outcome } = await this.#call(requestId, 'POST', '/orders', orders)
    for (const mark of marks) this.writes.push({ requestId, mark, kind: 'order', outcome, isRepeated: false })
    return outcome === 'acknowledged' ? marks : []
  }

  async #adjust(adjustment_quantity: number): Promise<void> {
    const mark = `adjust-${++this.#count}`
    const requestId = this.#newRequestId()
    const body = { product_id: this.#anyProduct().id, location_id: this.#anyLocation(), adjustment_quantity, reason: mark }
    const { outcome } = await this.#call(requestId, 'POST', '/stock/adjustment', body)
    this.writes.push({ requestId, mark, kind: 'movement', outcome, isRepeated: false })
  }

  /** Repeats a call with one Idempotency-Key until it gets a response. Then the write was executed exactly once, despite any faults. */
  async #adjustOnce(): Promise<void> {
    const mark = `once-${++this.#count}`
    const requestId = this.#newRequestId()
    const body = { product_id: this.#anyProduct().id, location_id: this.#anyLocation(), adjustment_quantity: 3, reason: mark }
    const write: Write = { requestId, mark, kind: 'movement', outcome: 'unknown', isRepeated: true }
    this.writes.push(write)
    while (!this.#stopping && write.outcome !== 'acknowledged') {
      write.outcome = (await this.#call(requestId, 'POST', '/stock/adjustment', body, { 'idempotency-key': mark })).outcome
      if (write.outcome !== 'acknowledged') await delay(PAUSE_MS)
    }
  }

  async #transfer(): Promise<void> {
    const [from_location_id, to_location_id] = Math.random() < 0.5 ? ['A', 'B'] : ['B', 'A']
    const body = { product_id: this.#anyProduct().id, from_location_id, to_location_id, quantity: 1 }
    await this.#call(this.#newRequestId(), 'POST', '/stock/transfer', body)
  }

  async #setMany(): Promise<void> {
    const updates = this.#products
      .slice(0, 5)
      .map(({ id }) => ({ product_id: id, location_id: 'D', quantity: Math.floor(Math.random() * 100) }))
    await this.#call(this.#newRequestId(), 'POST', '/stock/bulk', { updates })
  }

  async #pickOrder(): Promise<void> {
    const [order_tenant_id] = await this.#createOrders(1)
    if (order_tenant_id === undefined) return
    const started = await this.#call(this.#newRequestId(), 'POST', '/flows', {
      order_tenant_id,
      operator_email: 'sam@warehouse.example',
    })
    if (started.outcome !== 'acknowledged') return
    const { id, lines } = started.data as unknown as { id: number; lines: { order_detail_id: number }[] | undefined }
    for (const { order_detail_id } of lines ?? []) {
      const pick = { order_detail_id, location_id: 'A', quantity: 2 }
      await this.#call(this.#newRequestId(), 'POST', `/flows/${id}/picks`, pick)
    }
    await this.#call(this.#newRequestId(), 'POST', `/flows/${id}/${Math.random() < 0.3 ? 'cancel' : 'complete'}`, {})
  }

  async #call(
    requestId: string,
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Call> {
    let response: ServiceResponse
    try {
      response = await send(`${this.#url}/api/v1${path}`, method, body, {
        key: this.#key,
        headers: { 'x-request-id': requestId, ...headers },
      })
    } catch {
      // The server is down, or died before it responded.
      await delay(PAUSE_MS)
      return { outcome: 'unknown' }
    }
    if (response.status === 200) return { outcome: 'acknowledged', data: response.body.data }
    if (response.status === 503) {
      await delay(PAUSE_MS)
      return { outcome: 'unknown' }
    }
    if (!EXPECTED_ERRORS.has(response.body?.error?.code))
      this.faults.push(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`)
    return { outcome: 'refused' }
  }

  #newRequestId(): string {
    return `load-${++this.#count}`
  }

  #anyProduct(): Product {
    return this.#products[Math.floor(Math.random() * this.#products.length)] as Product
  }

  #anyLocation(): string {
    return LOCATIONS[Math.floor(Math.random() * LOCATIONS.length)] as string
  }
}
