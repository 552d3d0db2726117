import { formatNumber } from '../format.ts'
import { count } from './count.ts'
import { isolated } from './isolated.ts'

const units = (quantity: number, name: string): string => `${formatNumber(quantity)} × ${isolated(name)}`

/** Packing in the scan app. */
export const scanPacking = {
  title: 'Orders to pack',
  hint: 'Scan an order.',
  offline: 'Offline: packing needs the connection.',
  none: 'No shipment is open.',
  goOn: (name: string) => `Go on with ${name}`,
  scanOrder: (product: string) => `Scan the order of ${isolated(product)} first`,
  loading: 'Loading',
  products: 'Products',
  productOf: (done: number, all: number) => `${formatNumber(done)} of ${formatNumber(all)}`,
  package: (number: number) => `Package ${formatNumber(number)}`,
  content: (name: string, quantity: number) => units(quantity, name),
  empty: 'Empty',
  weighs: (weight: number) => `${formatNumber(weight)} kg`,
  scanProduct: 'Scan a product',
  done: 'Everything is packed. Press Ship when it leaves.',
  packAll: 'Pack all',
  newPackage: 'New package',
  weight: 'Weight',
  weightField: 'Weight in kg',
  undo: 'Undo',
  ship: 'Ship',
  shipAsk: (shipment: string) => `The packages of ${isolated(shipment)} cannot be changed afterwards.`,
  shipLeft: (products: number) =>
    `${count(products, 'product is', 'products are')} not packed completely. The rest can go in another shipment.`,
  toPack: 'To pack',
  left: (left: number, taken: number) => `${formatNumber(left)} of ${formatNumber(taken)} to pack`,
  moreProducts: (number: number) => count(number, 'more product', 'more products'),
  packages: 'Packages',
  nothingTaken: (order: string) => `Nothing of ${isolated(order)} is picked yet.`,
  isPicked: (order: string) =>
    `${isolated(order)} is being picked. What is picked now can be packed when the picking is complete.`,
  cancelled: (order: string) => `${isolated(order)} was cancelled.`,
  shipments: 'Shipments',
  unnamed: (id: number) => `Shipment ${id}`,
  newShipment: 'New shipment',
  shipment: (name: string, state: string, packages: number) =>
    `${isolated(name)}: ${state}, ${count(packages, 'package', 'packages')}`,
  states: { open: 'open', shipped: 'shipped', delivered: 'delivered', cancelled: 'cancelled' },
  said: {
    packed: (name: string, quantity: number, number: number) => `${units(quantity, name)} in package ${formatNumber(number)}`,
    allPacked: (order: string) => `All of ${isolated(order)} is packed`,
    weighed: (number: number, weight: number) => `Package ${formatNumber(number)}: ${formatNumber(weight)} kg`,
    undone: 'Undone',
    shipped: (order: string) => `Shipped ${order}`,
  },
  problem: {
    nothingToUndo: 'There is nothing to undo',
    cancelled: (order: string) => `${isolated(order)} was cancelled. Take its goods out of the packages`,
    over: (shipment: string, state: string, next?: string) =>
      `${isolated(shipment)} was ${state}${next === undefined ? '' : `. ${isolated(next)} is next`}`,
    notIn: (name: string, order: string) => `${isolated(name)} is not in ${isolated(order)}`,
    notTaken: (name: string) => `Nothing of ${isolated(name)} is picked yet`,
    allPacked: (name: string) => `All of ${isolated(name)} that was picked is packed`,
    tooMuch: (name: string, left: number) => `Only ${units(left, name)} left to pack`,
    refused: 'The server refused this',
    left: (order: string) => `You have gone on with another order. Nothing was done to ${order}`,
    packLeft: (left: number) => `Pack ${formatNumber(left)}`,
    tryAgain: 'Try again',
  },
}
