import { count, grouped } from './count.ts'
import { isolated } from './isolated.ts'

/** What happened to an order. */
export const orderTimeline = {
  timeline: {
    title: 'Timeline',
    show: 'Show',
    everything: 'Everything',
    kinds: {
      call: 'Calls',
      created: 'Creation',
      state: 'State',
      flow: 'Picking',
      movement: 'Stock',
      reservation: 'Reservations',
      shipment: 'Shipments',
      return: 'Returns',
      event: 'Events',
    },
    kind: {
      call: 'Call',
      created: 'Created',
      state: 'State',
      flow: 'Picking',
      movement: 'Stock',
      reservation: 'Reservation',
      shipment: 'Shipment',
      return: 'Return',
      event: 'Event',
    },
    none: 'There are no entries of this kind.',
    hidden: (kinds: string) => `Not shown to this key: ${kinds}`,
    more: 'Show later entries',
    by: (name: string) => `by ${isolated(name)}`,
    call: (operation: string, address: string) => `${operation} from ${address}`,
    created: (identifier: string, lines: number, units: number) =>
      `${isolated(identifier)}: ${count(lines, 'line', 'lines')}, ${count(units, 'unit', 'units')}`,
    change: (from: string, to: string) => `${from} to ${to}`,
    flow: (id: number) => `Flow ${grouped(id)}`,
    flowStates: { started: 'started', completed: 'completed', cancelled: 'cancelled' },
    slot: (batch: number, slot: number) => `slot ${grouped(slot)} of batch ${grouped(batch)}`,
    picked: (lines: number, quantity: number) => `${grouped(quantity)} picked of ${count(lines, 'line', 'lines')}`,
    at: (change: string, location: string) => `${change} at ${isolated(location)}`,
    pick: (id: string) => `pick ${id}`,
    reserved: (reserved: number, waiting: number) => `${grouped(reserved)} reserved, ${grouped(waiting)} waiting for stock`,
    shipment: (name: string) => `Shipment ${isolated(name)}`,
    shipmentStates: { open: 'Open', shipped: 'Shipped', delivered: 'Delivered', cancelled: 'Cancelled' },
    return: (name: string) => `Return ${isolated(name)}`,
    reason: (text: string) => `“${isolated(text)}”`,
    deliveries: (states: string) => `delivery ${states}`,
  },
}
