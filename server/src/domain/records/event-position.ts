/** Topics of records, in the order in which the events of one transaction are sent. */
const RANKS = { inbound: 2, return: 3, count: 4, shipment: 5 }

/**
 * SQL for the position of a record's event, for `recordEvents`: behind the events of stock, orders and reservations, and of one topic by id.
 * `id` is SQL.
 */
export const recordEventPosition = (record: keyof typeof RANKS, id: string): string =>
  `(${RANKS[record]}000000000000000000 + ${id})`
