import { ORDER_STATES } from '../../domain/order-states/index.ts'
import { exact } from './exact.ts'

/** What the live part of a demo has done, as far as the service has confirmed it. */
export class Journal {
  readonly #states = new Map<string, number>()
  readonly #picked = new Map<string, number>()
  sent = 0
  picks = 0
  completed = 0
  cancelled = 0
  /** Batches started. */
  walks = 0
  /** Receipts of deliveries and of returns, and returns announced. */
  receipts = 0
  returned = 0
  announced = 0
  /** Shipments packed, taken by the carrier, and delivered. */
  packed = 0
  shipped = 0
  arrived = 0
  /** Deliveries of events. */
  delivered = 0
  refused = 0
  readonly #print: (line: string) => void

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  /** The state that each order has by now, by its `order_tenant_id`. */
  get states(): ReadonlyMap<string, number> {
    return this.#states
  }

  /** What was picked of each order and not put back. */
  get picked(): ReadonlyMap<string, number> {
    return this.#picked
  }

  /** Notes the state of an order. Responses can overtake each other, but no order leaves its last state. */
  became(order: string, state: number): void {
    const known = this.#states.get(order)
    if (known !== ORDER_STATES.completed && known !== ORDER_STATES.cancelled) this.#states.set(order, state)
  }

  /** Notes what was picked of an order; negative for what was put back. */
  took(order: string, quantity: number): void {
    this.#picked.set(order, exact((this.#picked.get(order) ?? 0) + quantity))
  }

  /** Tells of a happening. */
  tell(text: string): void {
    this.#print(`${new Date().toISOString().slice('yyyy-mm-ddT'.length, -'.123Z'.length)}  ${text}`)
  }

  get summary(): string {
    return (
      `${this.sent} orders sent, ${this.picks} picks, ${this.completed} orders completed, ${this.cancelled} cancelled; ` +
      `${this.packed} shipments packed, ${this.shipped} shipped; ${this.receipts} receipts of goods, ${this.returned} of returns; ` +
      `${this.delivered} events taken, ${this.refused} refused`
    )
  }
}
