import { formatNumber } from '../format.ts'
import { count } from './count.ts'
import { isolated } from './isolated.ts'

/** Batches in the scan app. */
export const scanBatch = {
  title: 'Pick a batch',
  text: 'One walk for several orders. Each order has a slot, such as a box on the cart.',
  slots: 'Slots on the cart',
  slotsHint: (most: number) => `1 to ${formatNumber(most)}`,
  isSingleLine: 'Only orders with one line',
  start: 'Start a batch',
  running: 'End this batch before you start another one.',
  offline: 'Offline: no batch can be started.',
  started: (batch: string, orders: number) => `Picking ${isolated(batch)}: ${count(orders, 'order', 'orders')}`,
  slot: (slot: number) => `Slot ${formatNumber(slot)}`,
  put: (quantity: number, slot: number) => `Put ${formatNumber(quantity)} in slot ${formatNumber(slot)}`,
  missing: (quantity: number, slot: number) => `${formatNumber(quantity)} missing in slot ${formatNumber(slot)}`,
  here: 'Slots at this stop',
  share: (slot: number, quantity: number) => `Slot ${formatNumber(slot)}: ${formatNumber(quantity)}`,
  scanProductOr: (order: string) => `Scan the product, or ${order}`,
  scanOrder: (order: string) => `Scan ${order}`,
  orders: 'Orders on the cart',
  lines: (done: number, lines: number) => `${formatNumber(done)} of ${count(lines, 'line', 'lines')}`,
  gone: (slot: number, order: string) =>
    `Slot ${formatNumber(slot)}: ${isolated(order)} was ended, or is with somebody else now. Take it off the cart.`,
  tookOff: (order: string) => `I took ${isolated(order)} off`,
}
