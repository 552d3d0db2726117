import { newNumber } from '../client-state.ts'
import { ok, operation, refused, type Operation } from '../operation.ts'

/*
 * Calls on records that all clients of a tenant share: which of them comes first is not known, so each is found again by its name at quiet
 * points (`quiet/compare-shared.ts`), where the total must be that of the acknowledged ones.
 */

export const SHARED: Operation[] = [
  operation<{ quantity: number; n: number }>({
    id: 'stock.adjust',
    weight: 3,
    isShared: true,
    draw: (client, random) => ({ quantity: random.of([3, 2, 1, -1, -2, -3]), n: newNumber(client) }),
    request: ({ shared, name }, { quantity, n }) => ({
      method: 'POST',
      path: '/stock/adjustment',
      body: { product_id: shared.product, location_id: shared.location, adjustment_quantity: quantity, reason: `${name}-${n}` },
    }),
    expect({ shared, name }, { quantity, n }, data) {
      if (data === undefined) {
        shared.lost.add(`${name}-${n}`)
        return ok()
      }
      if (data.refused === 'adjustment_error' && quantity < 0) return refused('adjustment_error')
      shared.acknowledged.add(`${name}-${n}`)
      return ok({ quantity_adjusted: quantity, stock: { product_id: shared.product } })
    },
  }),

  operation<{ quantity: number; n: number }>({
    id: 'inbound.receive',
    weight: 3,
    isShared: true,
    draw: (client, random) =>
      client.shared.inbound === undefined ? undefined : { quantity: random.int(1, 3), n: newNumber(client) },
    request: ({ shared, name }, { quantity, n }) =>
      shared.inbound === undefined
        ? undefined
        : {
            method: 'POST',
            path: `/inbound/${shared.inbound}/receipts`,
            body: {
              product_id: shared.product,
              quantity,
              location_id: shared.location,
              receipt_id: `${name}-${n}`,
            },
          },
    expect({ shared, name }, { quantity, n }, data) {
      const receipt = `${name}-${n}`
      if (data === undefined) {
        shared.lostReceipts.add(receipt)
        return ok()
      }
      // Others may have filled it.
      if (data.refused === 'inbound_error') return refused('inbound_error')
      shared.receipts.set(receipt, quantity)
      return ok({ receipt: { id: receipt, quantity } })
    },
  }),
]
