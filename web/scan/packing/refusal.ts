import type { Shipment } from '@fulfillment/sdk'
import { ORDER_STATE } from '../../shared/order-state.ts'
import { packing } from '../../shared/texts/scan-packing-texts.ts'
import { type OrderToPack, productsOf } from './order-to-pack.ts'
import { shipmentName } from './shipment-name.ts'

/** What was refused. */
interface Refused {
  /** The shipment that was packed. */
  shipmentId: number | undefined
  /** The one that is packed from now on. */
  next: Shipment | undefined
  goods?: { product_id: number; name: string; quantity: number } | undefined
}

/** Why the server refuses to pack, by the order as it is now. `left`: what could be packed instead. */
export function refusalOf(known: OrderToPack, { shipmentId, next, goods }: Refused): { message: string; left?: number } {
  const { problem } = packing
  const { order, shipments } = known
  if (order.state_id === ORDER_STATE.cancelled) return { message: problem.cancelled(order.order_tenant_id) }
  const shipment = shipments.find(({ id }) => id === shipmentId)
  if (shipment !== undefined && shipment.state !== 'open')
    return { message: problem.over(shipmentName(shipment), packing.states[shipment.state], next && shipmentName(next)) }
  if (goods === undefined) return { message: problem.refused }
  const product = productsOf(known).find(({ product_id }) => product_id === goods.product_id)
  if (product === undefined) return { message: problem.notIn(goods.name, order.order_tenant_id) }
  if (product.taken === 0) return { message: problem.notTaken(goods.name) }
  if (product.left === 0) return { message: problem.allPacked(goods.name) }
  return product.left < goods.quantity
    ? { message: problem.tooMuch(goods.name, product.left), left: product.left }
    : { message: problem.refused }
}
