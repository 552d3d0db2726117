import type { ReservationStatus } from '../reservation-core/index.ts'

/** The result of an order of a submission, by its position. An order that already exists has no row. */
export interface InsertedOrder {
  /** The position of the submission in its batch. */
  call: number
  position: number
  /** Null when this order made the submission fail, or when the statement cannot create it. */
  id: number | null
  /** Whether its warehouse does not exist. */
  lacks_warehouse: boolean
  /** Its barcodes that no active product has, in line order. */
  unknown_barcodes: string[] | null
  is_reserving: boolean
  /** Those of the unknown barcodes that packs have. Undefined, like the next ones, in the statement for the policy `off`. */
  packs?: Pack[] | null
  /** Whether no hold has its reference, or only one of another warehouse. */
  lacks_hold?: boolean
  /** Under the policy `strict`, its lines that cannot be reserved in full, in line order. */
  short_lines?: ShortLine[] | null
  /** Null when the tenant does not reserve. */
  reservation_status?: ReservationStatus | null
}

/** A barcode of a pack, with the own one of its product. */
export interface Pack {
  barcode: string
  quantity: number
  product_barcode: string
}

/** A line that cannot be reserved in full. */
export interface ShortLine {
  /** From 0. */
  position: number
  /** What earlier lines leave. */
  available: number
}
