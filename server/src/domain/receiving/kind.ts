import type { z } from 'zod'
import { jsonText } from '../events/index.ts'

/** SQL by the name of the field in responses. */
type Fields = Readonly<Record<string, string>>

/** SQL for fields that a statement changes after it has read the row. */
type Changed = Readonly<Partial<Record<'state' | 'total_received' | 'updated_at', string>>>

/**
 * A kind of records that announce goods and receive them by receipts: its tables, which have most columns in common, and what is its own.
 * Every statement of a kind is made of this value. Aliases in SQL: a record is `r`, a line `l`, a receipt `e`.
 */
export interface ReceivingKind {
  /** In the names of its statements, and the name of its topic. */
  name: 'inbound' | 'return'
  tables: { records: string; lines: string; receipts: string }
  /** The error of a call that the state of a record, or what was announced, forbids. */
  errorCode: 'inbound_error' | 'return_error'
  /** In messages: `The delivery is closed`. */
  noun: string
  /** The `reason` of its movements. */
  reason: 'stock_receipt' | 'return'
  /** What responses have of a record, without its lines, of a line and of a receipt. */
  schemas: Readonly<Record<'record' | 'line' | 'receipt', z.ZodObject>>
  /** Fields of its own, beside those of every kind. */
  recordFields: Fields
  lineFields: Fields
  receiptFields: (receipt: string) => Fields
  /** Columns of its own of a new record and a new line, with their types, and those that PUT changes besides `note`. */
  recordColumns: Fields
  lineColumns: Fields
  changeable: Fields
  /** Columns that a new line copies of its record `r`. */
  copiedColumns: readonly string[]
  /** Filters of its list: conditions on a record `r`, with `?` for the value, and its type. */
  filters: Readonly<Record<string, { type: string; condition: string }>>
  /** SQL for the `data` of the event of a record `r`. `previousState` is SQL, and `now` has SQL for what the row does not have yet. */
  updated: (previousState: string, now?: Changed) => string
  receive: ReceiveParts
  /** A CTE that ends the lines of the record `ended`, with a comma; or nothing. */
  endLines: string
}

/**
 * What differs when goods are received. Aliases in SQL: a row of the call is `w`, a locked record `r`, the last line that it means `l`, a
 * receipt that is made or undone `m`.
 */
export interface ReceiveParts {
  /** Further conditions of a receipt `e` that is the same. */
  isSame: string
  /** Branches of a `case` that refuses a location. */
  refusedLocations: string
  /** Branches of a `case`, run after the locks, that refuses a quantity that no single line takes whole. */
  refusedQuantities: string
  /** Whether a receipt that is made, or undone, changes stock. */
  isStocked: string
  /** The `order_id` of the movement. */
  orderId: string
  /** What a receipt of `amount` adds to columns of its line; `amount` is negative when a receipt is undone. */
  addedToLine: (amount: string) => Fields
  /** Further changes of the line `l`, for its `set`: empty, or with a comma in front. */
  otherLineChanges: (amount: string) => string
  /** Further columns of a line that comes into being with a receipt `m`, and columns of the call that a receipt keeps. */
  newLine: Fields
  receiptColumns: readonly string[]
  /** A query that locks what comes before the record with the id `$2` in the order of locks, if anything. */
  lockBefore?: string
}

/** SQL for the JSON of a record `r`, as the API shows it; without `lines`, as in lists. `lines` is SQL for their texts, with commas. */
export const recordJson = (kind: ReceivingKind, lines?: string): string =>
  `${lines === undefined ? recordText(kind) : recordWithLines(kind, lines)}::json`

/** SQL for its text with its lines. `now` has SQL for what the row does not have yet. */
export const recordWithLines = (kind: ReceivingKind, lines: string, now?: Changed): string =>
  recordText(kind, `${BEFORE_LINES} || ${lines} || ${BEHIND_LINES}`, now)

/** SQL for what is between the other fields of a record and the texts of its lines, and for what is behind these. */
export const BEFORE_LINES = `',"lines":['`
export const BEHIND_LINES = `']}'`

/** SQL for the text of a record `r` without its lines. `end` is SQL for what is behind its fields. */
export function recordText({ schemas, recordFields }: ReceivingKind, end?: string, now: Changed = {}): string {
  return jsonText(
    schemas.record,
    {
      id: 'r.id',
      reference: 'r.reference',
      warehouse_id: 'r.warehouse_id',
      state: 'r.state',
      expected_at: 'r.expected_at',
      note: 'r.note',
      allow_over: 'r.allow_over',
      total_quantity: 'trim_scale(r.total_quantity)',
      total_received: 'trim_scale(r.total_received)',
      ...recordFields,
      created_by: 'r.created_by',
      created_at: 'r.created_at',
      updated_at: 'r.updated_at',
      closed_at: 'r.closed_at',
      cancelled_at: 'r.cancelled_at',
      cancellation_reason: 'r.cancellation_reason',
      ...now,
    },
    end,
  )
}

/** SQL for the text of a line `l` with its product `p`. */
export function lineText({ schemas, lineFields }: ReceivingKind): string {
  return jsonText(schemas.line, {
    id: 'l.id',
    product_id: 'l.product_id',
    sku: 'p.external_id',
    barcode: 'p.barcode',
    product_name: 'p.name',
    quantity: 'trim_scale(l.quantity)',
    received_quantity: 'trim_scale(l.received)',
    ...lineFields,
  })
}

/** SQL for the texts of lines `l` with their products `p`, in order, with commas: an aggregate. */
export const lineTexts = (kind: ReceivingKind): string => `string_agg(${lineText(kind)}, ',' order by l.id)`

/** A lateral join for the product `p` of a line `l`. */
export const PRODUCT_OF_LINE = `cross join lateral (
       select external_id, barcode, name from products where tenant_id = $1 and id = l.product_id limit 1
     ) p`

/** SQL for the JSON of a receipt. `receipt` is the alias of its row. */
export const receiptJson = (kind: ReceivingKind, receipt: string): string => `${receiptText(kind, receipt)}::json`

/** SQL for its text. */
export function receiptText({ schemas, receiptFields }: ReceivingKind, receipt: string): string {
  return jsonText(schemas.receipt, {
    id: `${receipt}.id`,
    product_id: `${receipt}.product_id`,
    location_id: `${receipt}.location_id`,
    quantity: `trim_scale(${receipt}.quantity)`,
    ...receiptFields(receipt),
    lines: `${receipt}.lines`,
    movement_id: `${receipt}.movement_id`,
    created_at: `${receipt}.created_at`,
    undone_at: `${receipt}.undone_at`,
  })
}

/** The states in which a record takes receipts and changes. */
export const OPEN_STATES = `('expected', 'receiving')`

/** SQL for what changes in a line `l` of which `amount` is received, besides `received`: from a comma on. */
export function lineChange({ receive }: ReceivingKind, amount: string): string {
  const columns = Object.entries(receive.addedToLine(amount))
  return columns.map(([column, added]) => `, ${column} = l.${column} + ${added}`).join('') + receive.otherLineChanges(amount)
}

/** Further columns or values in a list of SQL, each after a comma. */
export const further = (items: readonly string[]): string => items.map((item) => `, ${item}`).join('')
