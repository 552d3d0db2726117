import type { Order, OrderLine, Shipment } from '@fulfillment/sdk'

const COMPLETED = 5

export interface LineToPack {
  line: OrderLine
  /** How much of it was taken and is in no shipment. */
  left: number
}

/** The lines of which something was taken and is in no shipment yet. The server decides how much can be packed. */
export function linesToPack({ state_id, order_detail: lines }: Order, shipments: readonly Shipment[]): LineToPack[] {
  const packed = packedByLine(shipments)
  // Whoever completes an order without picking it has taken what was ordered.
  const isUnpicked = state_id === COMPLETED && lines.every(({ picked_quantity }) => picked_quantity === 0)
  const leftOf = ({ id, quantity, picked_quantity }: OrderLine): number =>
    rounded((isUnpicked ? quantity : picked_quantity) - (packed.get(id) ?? 0))
  return lines.map((line) => ({ line, left: leftOf(line) })).filter(({ left }) => left > 0)
}

/** How much is in shipments, by the id of the line. */
function packedByLine(shipments: readonly Shipment[]): Map<number, number> {
  const packed = new Map<number, number>()
  const contents = shipments
    .filter(({ state }) => state !== 'cancelled')
    .flatMap(({ packages }) => packages.flatMap(({ lines }) => lines))
  for (const { order_detail_id: id, quantity } of contents) packed.set(id, (packed.get(id) ?? 0) + quantity)
  return packed
}

/** Quantities have at most three decimals; their sums in binary may have more. */
const rounded = (quantity: number): number => Math.round(quantity * 1_000) / 1_000
