import { APIError, type Count, type CountLine, type InboundDelivery } from '@fulfillment/sdk'
import type { KnownRecord } from '../../../web/scan/goods/record.ts'
import type { RecordCalls } from '../../../web/scan/queue/attempt-record.ts'
import type { CountEntry, ReceiptEntry, RecordRef } from '../../../web/scan/queue/entry.ts'

const refused = (code: string, status = 400): APIError =>
  new APIError({ status, code: code as APIError['code'], message: code, requestId: 'r-1' })

/** A delivery, of one product. */
export const DELIVERY: RecordRef = { kind: 'inbound', id: 1 }
/** A count of one product. */
export const COUNT: RecordRef = { kind: 'count', id: 1 }
const PRODUCT = 1

/** The rules of the server for a delivery and a count, in memory: an id is carried out once, and a repeat is found before any rule. */
export class RecordModel {
  readonly delivery = { state: 'expected' as InboundDelivery['state'], expected: 9 }
  readonly count = { state: 'counting' as Count['state'] }
  /** Quantity by `receipt_id`. */
  readonly receipts = new Map<string, { quantity: number; isUndone: boolean }>()
  /** Entries in the order in which they were carried out. */
  readonly entries: { entry_id: string; location: string; quantity: number }[] = []

  receive({ pick_id, body }: ReceiptEntry): ReturnType<RecordCalls['receive']> {
    const known = this.receipts.get(pick_id)
    if (known === undefined) {
      if (this.delivery.state === 'closed') throw refused('inbound_error')
      if (this.#left() < body.quantity) throw refused('inbound_error')
      this.receipts.set(pick_id, { quantity: body.quantity, isUndone: false })
    } else if (known.quantity !== body.quantity) throw refused('idempotency_conflict', 409)
    return Promise.resolve(this.read(DELIVERY))
  }

  undoReceipt({ pick_id }: ReceiptEntry): ReturnType<RecordCalls['undoReceipt']> {
    const receipt = this.receipts.get(pick_id)
    if (receipt === undefined) throw refused('not_found', 404)
    if (!receipt.isUndone && this.delivery.state === 'closed') throw refused('inbound_error')
    receipt.isUndone = true
    return Promise.resolve(this.read(DELIVERY))
  }

  enterCount({ pick_id, body }: CountEntry): ReturnType<RecordCalls['enterCount']> {
    if (this.entries.every(({ entry_id }) => entry_id !== pick_id)) {
      if (this.count.state !== 'counting') throw refused('count_error')
      this.entries.push({ entry_id: pick_id, location: body.location_id, quantity: body.quantity })
    }
    return Promise.resolve({ id: 1, product_id: PRODUCT, counted_at: '' } as CountLine)
  }

  read({ kind }: RecordRef): KnownRecord {
    if (kind === 'count') return { kind, record: { id: COUNT.id, ...this.count, lines: [] } as unknown as Count }
    const { state, expected } = this.delivery
    const line = { product_id: PRODUCT, quantity: expected, received_quantity: expected - this.#left() }
    return { kind: 'inbound', record: { id: DELIVERY.id, state, allow_over: false, lines: [line] } as unknown as InboundDelivery }
  }

  #left(): number {
    const active = [...this.receipts.values()].filter(({ isUndone }) => !isUndone)
    return this.delivery.expected - active.reduce((sum, { quantity }) => sum + quantity, 0)
  }
}
