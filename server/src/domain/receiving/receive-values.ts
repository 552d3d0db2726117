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

type Refusal =
  | 'unmeasured'
  | 'over'
  | 'unknown'
  | 'fraction'
  | 'elsewhere'
  | 'unsellable'
  | 'sellable'
  | 'unannounced'
  | 'beyond'
  | 'untaken'
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
