import type { Count, CountLine, InboundDelivery, Return } from '@fulfillment/sdk'
import { t } from '../../shared/texts/scan-texts.ts'
import type { Disposition, ReceiptBody, RecordKind, RecordRef } from '../queue/entry.ts'

/** A record as the server described it last. */
export type KnownRecord =
  | { kind: 'inbound'; record: InboundDelivery }
  | { kind: 'return'; record: Return }
  | { kind: 'count'; record: Count }

/** Deliveries and returns: records that are received. */
export type Receivable = Exclude<KnownRecord, { kind: 'count' }>

/** A location that this device has heard of. */
export interface KnownLocation {
  id: string
  code: string
  warehouse_id: number
  sellable: boolean
}

/** Goods in the operator's hands: one receipt, or one entry of a count, to be. */
export interface DraftItem {
  pick_id: string
  product_id: number
  product_name: string
  /** What was scanned or typed. 0: nothing yet, in a count. */
  quantity: number
  /** In a count, the text in the field since the latest scan. It counts instead of what was scanned; a scan adds to it. */
  typed?: string | undefined
  /** Who scanned it first, of goods that are received. Absent from what older builds have stored. */
  operator?: { id: number; email: string }
  /** Sold by weight, of goods that are received. Absent if the scan did not tell. */
  weighable?: boolean | undefined
}

/** What the operator does with a record at the moment. */
export interface RecordDraft {
  /** The location of the goods. It stays until another one is scanned. Stored under this name by all builds. */
  place: KnownLocation | null
  /** Of returns: what becomes of the goods. */
  disposition: Disposition
  item: DraftItem | null
}

/** A receipt from this device that the server has. */
export interface SentReceipt {
  receipt_id: string
  operator_id: number
  body: ReceiptBody
  product_name: string
  location_code: string
}

/** A record on this device. */
export interface RecordRow {
  known: KnownRecord
  draft: RecordDraft
  /** Oldest first: what Undo takes back, after what waits in the queue. */
  sent: readonly SentReceipt[]
  /** Which of the products are sold by weight, as far as it was read. */
  weighable?: Readonly<Record<number, boolean>>
}

export const emptyRecordDraft: RecordDraft = { place: null, disposition: 'restock', item: null }

/** What a record is stored by. */
export const recordKey = ({ kind, id }: RecordRef): string => `${kind} ${id}`

export const refOf = ({ kind, record }: NamedRecord): RecordRef => ({ kind, id: record.id })

/** Whether goods of the record can still be received or counted. */
export function isOpen({ kind, record: { state } }: KnownRecord): boolean {
  return kind === 'count' ? state === 'counting' : state === 'expected' || state === 'receiving'
}

/** Whether the goods in hand are whole pieces. Of a product that the device does not know so well, the server decides. */
export const isWhole = ({ draft: { item }, weighable }: Pick<RecordRow, 'draft' | 'weighable'>): boolean =>
  item !== null && (item.weighable ?? weighable?.[item.product_id]) === false

/** Quantity of a product that is still to come, as the server knows it. */
export const expectedOf = ({ record: { lines } }: Receivable, productId: number): number =>
  lines
    .filter(({ product_id }) => product_id === productId)
    .reduce((sum, { quantity, received_quantity }) => sum + Math.max(0, quantity - received_quantity), 0)

/** A count with a line as the server has it now. */
export function withLine({ kind, record }: Extract<KnownRecord, { kind: 'count' }>, line: CountLine): KnownRecord {
  const isNew = record.lines.every(({ id }) => id !== line.id)
  const lines = isNew ? [...record.lines, line] : record.lines.map((other) => (other.id === line.id ? line : other))
  const lines_counted = lines.filter(({ counted_at }) => counted_at !== null).length
  return { kind, record: { ...record, lines, lines_total: lines.length, lines_counted } }
}

/** What the screens call a record. */
export const nameOf = ({ kind, record: { reference, id } }: NamedRecord): string => reference ?? t.goods.unnamed[kind](id)

/** The location that one of the texts names by its code or id. Warehouses may have the same codes: that of the record comes first. */
export function locationNamed(
  locations: readonly KnownLocation[],
  texts: readonly string[],
  { record }: KnownRecord,
): KnownLocation | undefined {
  const named = locations.filter(({ code, id }) => texts.some((text) => text === code || text === id))
  return named.find(({ warehouse_id }) => warehouse_id === record.warehouse_id) ?? named[0]
}

/** A record, or what a list says of it. */
interface NamedRecord {
  kind: RecordKind
  record: { id: number; reference: string | null }
}
