import { pick, type PickableProduct } from '../../../support/picking.ts'
import type { TestTenant } from '../../../support/service.ts'
import type { Dice } from './dice.ts'
import type { OrderToPick } from './operator.ts'

/** Picks of the office have other ids than those of devices. */
export const OFFICE_PICK = 'office-'

let picks = 0

/** Changes an order behind the operator's back, so that the server refuses what the device sends. Returns what was done. */
export async function disturb(
  tenant: TestTenant,
  { id }: OrderToPick,
  products: ReadonlyMap<number, PickableProduct>,
  dice: Dice,
): Promise<string> {
  const { body } = await tenant.request('GET', `/flows?order_id=${id}&state=started`)
  const [flow] = body.data.flows
  if (flow === undefined) return 'nothing'
  const details = (await tenant.request('GET', `/flows/${flow.id}`)).body.data
  const line = dice.one<{ product_id: number; remaining: number; locations: { location_id: string; quantity: number }[] }>(
    details.lines,
  )
  const level = line.locations.find(({ quantity }) => quantity > 0)
  const what = dice.one(['cancel', 'assign', 'pick', 'stock'] as const)
  if (what === 'cancel') await tenant.request('POST', `/orders/${id}/cancel`, {})
  else if (what === 'assign') await tenant.request('POST', `/flows/${flow.id}/assign`, { operator_email: 'grace@example.com' })
  else if (level === undefined) return 'nothing'
  else if (what === 'stock') {
    for (const { location_id } of line.locations)
      await tenant.request('PUT', `/stock/product/${line.product_id}`, { location_id, quantity: 1 })
  } else if (line.remaining > 0) {
    const barcode = products.get(line.product_id)?.barcode
    await pick(tenant, flow.id, { barcode, location_id: level.location_id, quantity: 1, pick_id: `${OFFICE_PICK}${++picks}` })
  }
  return what
}

/** Fills locations up again. */
export async function restock(tenant: TestTenant, products: Iterable<PickableProduct>, quantity: number): Promise<void> {
  for (const { id } of products) {
    const { stock } = (await tenant.request('GET', `/products/${id}`)).body.data
    for (const level of stock as { location_id: string; quantity: number }[])
      if (level.quantity < quantity)
        await tenant.request('PUT', `/stock/product/${id}`, { location_id: level.location_id, quantity })
  }
}
