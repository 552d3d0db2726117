import { joinFirst } from '../../errors/join-first.ts'
import { type ErrorDetail, ServiceError } from '../../errors/service-error.ts'
import type { InsertedOrder, Pack } from './inserted-order.ts'
import type { NewOrder } from './schemas.ts'

/** An order and its index in the request. */
export interface GivenOrder {
  order: NewOrder
  index: number
}

type Judged = InsertedOrder & GivenOrder
type Problem = Pick<ErrorDetail, 'error' | 'lines'>

/** A rule for new orders. Returns what is wrong with an order, if anything. */
interface Rule {
  code: 'validation_error' | 'creation_error' | 'insufficient_stock'
  problemOf: (order: Judged) => Problem | undefined
}

/** In the order in which they apply: the error is that of the first rule that an order breaks, with all orders that break it. */
const RULES: readonly Rule[] = [
  { code: 'validation_error', problemOf: (order) => unknownWarehouse(order) ?? missingHold(order) },
  { code: 'creation_error', problemOf: unknownBarcodes },
  { code: 'insufficient_stock', problemOf: shortLines },
]

/** Throws why the orders without an id made their submission fail. */
export function refuseOrders(inserted: readonly Judged[]): void {
  for (const { code, problemOf } of RULES) {
    const refused = inserted.flatMap((judged) => {
      const problem = problemOf(judged)
      return problem === undefined ? [] : [{ ...problem, judged }]
    })
    if (refused.length > 0) throw refusal(code, refused)
  }
}

function unknownWarehouse({ lacks_warehouse: isUnknown, order }: Judged): Problem | undefined {
  return isUnknown ? { error: `warehouse_id: no warehouse has the id ${order.warehouse_id}` } : undefined
}

function missingHold({ lacks_hold: isMissing, order }: Judged): Problem | undefined {
  if (isMissing !== true) return undefined
  return { error: `hold: no hold in the order's warehouse has the reference ${quoted(order.hold ?? '')}` }
}

function unknownBarcodes({ unknown_barcodes: barcodes, packs }: Judged): Problem | undefined {
  if (barcodes === null) return undefined
  const errorsOfPacks = new Map((packs ?? []).map((pack) => [pack.barcode, barcodeOfPack(pack)]))
  const others = [...new Set(barcodes)].filter((barcode) => !errorsOfPacks.has(barcode))
  const errors = others.length === 0 ? [] : [`no active product has the barcode ${joinFirst(others.map(quoted), ', ')}`]
  return { error: joinFirst([...errors, ...errorsOfPacks.values()]) }
}

const barcodeOfPack = ({ barcode, quantity, product_barcode: own }: Pack): string =>
  `${quoted(barcode)} is the barcode of a pack of ${quantity}: order single units by the barcode ${quoted(own)}`

function shortLines({ short_lines: found, order }: Judged): Problem | undefined {
  if (found === null || found === undefined) return undefined
  const lines = found.map(({ position, available }) => ({ position, ...lineAt(order, position), available }))
  const texts = lines.map(({ barcode, quantity, available }) => `${quantity} of ${quoted(barcode)}, ${available} available`)
  return { error: `cannot be reserved in full: ${joinFirst(texts)}`, lines }
}

function lineAt({ order_detail }: NewOrder, position: number): { barcode: string; quantity: number } {
  const { barcode, quantity } = order_detail[position] as NewOrder['order_detail'][number]
  return { barcode, quantity }
}

function refusal(code: Rule['code'], refused: readonly (Problem & { judged: Judged })[]): ServiceError {
  const message = joinFirst(refused.map(({ judged, error }) => `Order ${quoted(judged.order.order_tenant_id)}: ${error}`))
  const details = refused.map(({ judged: { index }, error, lines }) =>
    lines === undefined ? { index, error } : { index, error, lines },
  )
  return new ServiceError(code, message, { details })
}

const quoted = (text: string): string => `"${text}"`
