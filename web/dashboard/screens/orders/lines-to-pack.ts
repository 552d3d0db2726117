import type { Order, OrderLine, Shipment } from '@fulfillment/sdk'
import { exact } from '../../../shared/exact.ts'
import { takenOf } from '../../kit/taken-of.ts'

export interface LineToPack {
  line: OrderLine
  /** How much of it was taken and is in no shipment. */
  left: number
}

/** The lines of which something was taken and is in no shipment yet. The server decides how much can be packed. */
export function linesToPack(order: Order, shipments: readonly Shipment[]): LineToPack[] {
  const packed = packedByLine(shipments)
  return order.order_detail
    .map((line) => ({ line, left: exact(takenOf(order, line) - (packed.get(line.id) ?? 0)) }))
    .filter(({ left }) => left > 0)
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
