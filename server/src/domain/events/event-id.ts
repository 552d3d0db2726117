/**
 * SQL for the id of the event with a number. It has the same length as ids in the old format, which begin with a transaction number, and
 * sorts after all of them. Null if the number is null.
 */
export const eventId = (number: string): string => `'evt_1' || lpad(to_hex(${number}), 23, '0')`
