import type { Attack } from '../attack.ts'

const CALLERS = 100

/**
 * Changes one order and one stock level from many callers, so that each waits for the lock of the previous one. It worked because they
 * waited on connections shared by the writes of all tenants.
 */
export const lockWaits: Attack = {
  name: 'lock-waits',
  title: '100 callers that change the same order and stock level',
  async prepare(flood) {
    const { orders } = await flood.call<{ orders: { id: number }[] }>({ method: 'GET', path: '/orders?limit=1&state_id=1' })
    return orders[0]?.id
  },
  async run(flood, { products: [first] }, prepared) {
    const order = prepared as number
    const sides = ['A-1', 'A-2']
    await flood.flood(CALLERS, (count) => {
      if (count % 2 === 0) return { method: 'PUT', path: `/orders/${order}`, body: { customer_name: `Customer ${count}` } }
      const [from, to] = count % 4 === 1 ? sides : sides.toReversed()
      const body = { product_id: first, from_location_id: from, to_location_id: to, quantity: 1 }
      return { method: 'POST', path: '/stock/transfer', body }
    })
  },
}
