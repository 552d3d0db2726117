import type { FulfillmentClient, Order, Shipment } from '@fulfillment/sdk'
import { exact } from '../../shared/exact.ts'
import { ORDER_STATE } from '../../shared/order-state.ts'

const PICKING_RUNS = 1
const MAX_SHIPMENTS = 100

/** An order whose goods are packed, as the server has it. */
export interface OrderToPack {
  order: Order
  /** What a running flow has picked, by order line: it is taken once the flow completes. */
  inFlow: ReadonlyMap<number, number>
  /** Newest first. */
  shipments: readonly Shipment[]
}

/** What was taken and packed of a product of the order. */
export interface ProductToPack {
  product_id: number
  name: string
  barcode: string
  taken: number
  packed: number
  left: number
}

/** Reads an order with its shipments. */
export async function readOrderToPack(client: FulfillmentClient, orderId: number): Promise<OrderToPack> {
  const [order, { shipments }] = await Promise.all([
    client.orders.get(orderId),
    client.shipments.list({ order_id: orderId, limit: MAX_SHIPMENTS }),
  ])
  return { order, inFlow: await readInFlow(client, order), shipments }
}

async function readInFlow(client: FulfillmentClient, { id, state_picking_id }: Order): Promise<Map<number, number>> {
  const inFlow = new Map<number, number>()
  if (state_picking_id !== PICKING_RUNS) return inFlow
  const { flows } = await client.flows.list({ order_id: id, state: 'started' })
  for (const flow of flows)
    for (const { order_detail_id, quantity } of (await client.flows.get(flow.id)).picks.flatMap(({ lines }) => lines))
      inFlow.set(order_detail_id, (inFlow.get(order_detail_id) ?? 0) + quantity)
  return inFlow
}

/** The products of the order, each once, in its order. The server decides how much can be packed. */
export function productsOf({ order: { state_id, order_detail: lines }, inFlow, shipments }: OrderToPack): ProductToPack[] {
  const isByHand = state_id === ORDER_STATE.completed && lines.every(({ picked_quantity }) => picked_quantity === 0)
  const packed = shipments
    .filter(({ state }) => state !== 'cancelled')
    .flatMap(({ packages }) => packages.flatMap((each) => each.lines))
  return [...new Set(lines.map(({ product_id }) => product_id))].map((id) => {
    const own = lines.filter(({ product_id }) => product_id === id)
    const taken = sum(own.map((line) => (isByHand ? line.quantity : line.picked_quantity - (inFlow.get(line.id) ?? 0))))
    const inPackages = sum(packed.filter(({ product_id }) => product_id === id).map(({ quantity }) => quantity))
    const { product_name: name = '', barcode = '' } = own[0] ?? {}
    return { product_id: id, name, barcode, taken, packed: inPackages, left: Math.max(0, exact(taken - inPackages)) }
  })
}

const sum = (quantities: readonly number[]): number => exact(quantities.reduce((total, quantity) => total + quantity, 0))
