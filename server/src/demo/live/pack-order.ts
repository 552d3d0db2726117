import type { LiveOptions } from './customers.ts'
import { exact } from './exact.ts'

/** Packs what was taken of an order and is not packed yet. Throws when the order was cancelled meanwhile. */
export async function packOrder(
  { client, journal }: Pick<LiveOptions, 'client' | 'journal'>,
  packer: string,
  orderId: number,
): Promise<void> {
  const { order_detail: ordered, order_tenant_id: name } = await client.orders.get(orderId)
  const { shipments, pagination } = await client.shipments.list({ order_id: orderId, limit: 100 })
  const packed = new Map<number, number>()
  for (const { id } of shipments.filter(({ state }) => state !== 'cancelled'))
    for (const { order_detail_id: line, quantity } of (await client.shipments.get(id)).packages.flatMap(({ lines }) => lines))
      packed.set(line, exact((packed.get(line) ?? 0) + quantity))
  const lines = ordered.flatMap(({ id, picked_quantity: picked }) => {
    const quantity = exact(picked - (packed.get(id) ?? 0))
    return quantity > 0 ? [{ order_detail_id: id, quantity }] : []
  })
  if (lines.length === 0) return
  const reference = `${name}-${pagination.total + 1}`
  await client.shipments.create({ reference, order_id: orderId, packages: [{ lines, carrier: 'Parcel Post' }] })
  journal.packed++
  journal.tell(`${packer} packs ${reference}: ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`)
}
