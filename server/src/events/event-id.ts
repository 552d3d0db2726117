/**
 * SQL for the id of the event with a number: as long as the ids that began with a transaction's number, and behind all of them. Null
 * without a number.
 */
export const eventId = (number: string): string => `'evt_1' || lpad(to_hex(${number}), 23, '0')`
