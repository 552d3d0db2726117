import { barcodeOf } from '../load/requests.ts'
import type { Battlefield } from './attack.ts'
import type { Flood, FloodRequest } from './flood.ts'

const CALLERS = 8

/** Creates `count` subscriptions to all topics, or fewer if the tenant's limit is lower. */
export async function subscribeOften(flood: Flood, url: string, count: number): Promise<void> {
  let isRefused = false
  const caller = async (first: number): Promise<void> => {
    for (let number = first; number < count && !isRefused; number += CALLERS) {
      const body = { name: `receiver ${number}`, url, events: ['*'] }
      isRefused = (await flood.send({ method: 'POST', path: '/webhooks', body })) >= 400
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, index) => caller(index)))
}

/** Records at least `count` stock events. */
export async function recordEvents(flood: Flood, { products: [first, last] }: Battlefield, count: number): Promise<void> {
  const items = last - first + 1
  for (let recorded = 0, quantity = 1; recorded < count; recorded += 2 * items, quantity++) {
    const updates = Array.from({ length: items }, (_, index) => ({ product_id: first + index, location_id: 'A-1', quantity }))
    await flood.call({ method: 'POST', path: '/stock/bulk', body: { updates } })
  }
}

/** A bulk call that changes the price of `items` products. */
export function changedPrices(items: number, price: number): FloodRequest {
  const products = Array.from({ length: items }, (_, index) => ({
    barcode: barcodeOf(index + 1),
    name: `Product number ${index + 1}`,
    price,
  }))
  return { method: 'POST', path: '/products/bulk', body: { products } }
}

/** Creates `orders` orders with `lines` lines each. */
export async function createLongOrders(flood: Flood, orders: number, lines: number): Promise<void> {
  const detail = Array.from({ length: lines }, (_, index) => ({
    barcode: barcodeOf(1 + (index % 500)),
    quantity: 1,
    price: 9.99,
  }))
  for (let number = 0; number < orders; number++) {
    const body = { order_tenant_id: `LONG-${number}`, assembly_date: '2026-12-01', order_detail: detail }
    await flood.call({ method: 'POST', path: '/orders', body })
  }
}

/** A call that creates 1,000 orders, in which every line is invalid. */
export function mistakenOrders(lines: number): FloodRequest {
  const order = { order_detail: Array.from({ length: lines }, () => ({})) }
  const body = Buffer.from(JSON.stringify({ orders: Array.from({ length: 1_000 }, () => order) }))
  return { method: 'POST', path: '/orders', body }
}
