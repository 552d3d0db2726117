/** The texts of a receipt that was made, and of its record; null when the call must run again. */
export interface Made {
  call: number
  receipt: string | null
  record: string | null
}

/** The result of a receipt: the texts if it was made, now or earlier; otherwise the `refusal`. */
export interface Received extends Made {
  /** Whether the earlier receipt with this id is the same; null when there is no earlier one. */
  is_same: boolean | null
  refusal: Refusal | null
  state: string | null
  /** Quantity to receive: as sent, or as the barcode carries it. Null for none. */
  quantity: number | null
  /** What is still to come of the lines named by the input. */
  open: number | null
}

/** Why a receipt is refused. */
type Refusal =
  /** It has no quantity, and its barcode carries none. */
  | 'unmeasured'
  /** The record is closed or cancelled. */
  | 'over'
  /** There is no such product or line. */
  | 'unknown'
  /** It has a fraction of a product that is not weighable. */
  | 'fraction'
  /** The location is one of another warehouse. */
  | 'elsewhere'
  /** The location is not sellable, which restocking needs. */
  | 'unsellable'
  /** The location is new or sellable, which quarantine must not be. */
  | 'sellable'
  /** The product is not in the record, which allows no surplus. */
  | 'unannounced'
  /** It exceeds what is still to come, and the record allows no surplus. */
  | 'beyond'
  /** With other returns of the order, it exceeds what was taken for it. */
  | 'untaken'
  /** The record has the most lines that it can have. */
  | 'full'

export type ReceiveValues = [
  tenantId: number | undefined,
  recordIds: number[],
  productIds: (number | null)[],
  skus: (string | null)[],
  barcodes: (string | null)[],
  lineIds: (number | null)[],
  locationIds: (string | null)[],
  quantities: (number | null)[],
  receiptIds: (string | null)[],
  operatorIds: (number | null)[],
  sentNames: string[],
  dispositions: (string | null)[],
  createdBy: string | undefined,
  newIds: string[],
]
