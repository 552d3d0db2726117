import type {
  FulfillmentClient,
  InboundDelivery,
  InboundReceipt,
  RequestOptions,
  Return,
  ReturnReceipt,
  WriteOptions,
} from '@fulfillment/sdk'
import { t } from '../../shared/texts/texts.ts'
import type { Scope } from '../data/scopes.ts'

/** A record that announces goods and receives them. */
export type Receivable = InboundDelivery | Return

export type Receipt = InboundReceipt | ReturnReceipt

/** The calls that deliveries and returns have in common. */
interface Calls {
  update(id: number, changes: object, options?: WriteOptions): PromiseLike<unknown>
  close(id: number, options?: WriteOptions): PromiseLike<unknown>
  cancel(id: number, input: { reason?: string }, options?: WriteOptions): PromiseLike<unknown>
  undoReceipt(id: number, receiptId: string, input: object, options?: WriteOptions): PromiseLike<unknown>
  receipts(id: number, page: { limit: number }, options?: RequestOptions): PromiseLike<ReceiptPage>
}

interface ReceiptPage {
  receipts: readonly Receipt[]
  pagination: { total: number }
}

/** What the screens of deliveries and returns have in common, as values. */
export interface ReceivingKind {
  /** The key of the read of one record. */
  key: 'inbound record' | 'return'
  /** What its changes need. */
  scope: Scope
  calls: (api: FulfillmentClient) => Calls
  texts: typeof t.inbound | typeof t.returns
  /** The field that the other kind does not have. */
  own: { name: 'supplier' | 'reason'; label: string; maxLength: number }
}

export const DELIVERIES: ReceivingKind = {
  key: 'inbound record',
  scope: 'write:stock',
  calls: (api) => api.inbound,
  texts: t.inbound,
  own: { name: 'supplier', label: t.inbound.supplier, maxLength: 255 },
}

export const RETURNS: ReceivingKind = {
  key: 'return',
  scope: 'write:orders',
  calls: (api) => api.returns,
  texts: t.returns,
  own: { name: 'reason', label: t.returns.reason, maxLength: 1_000 },
}

/** A record by its reference, or by its id. */
export const nameOf = ({ id, reference }: { id: number; reference: string | null }): string => reference ?? String(id)

/** Whether nothing can be received any more. */
export const isOver = ({ state }: { state: Receivable['state'] }): boolean => state === 'closed' || state === 'cancelled'
