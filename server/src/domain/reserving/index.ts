export {
  type Availability,
  availability,
  availabilityColumns,
  availabilityFields,
  availabilityOf,
  EXPIRED_HOLDS,
  IS_READY,
  IS_RESERVING,
  shownAvailability,
} from './availability.ts'
export {
  type OrderReservations,
  lineReservation,
  orderReservations,
  reservationStatus,
  shownLines,
  shownStatus,
} from './order-reservations.ts'
export { incomingDeliveries, incomingOf, nextExpectedAt } from './incoming.ts'
export { isKnownToReserve, readByPolicy, sawPolicy } from './known-reserving.ts'
export { reservationPhase } from './reservation-phase.ts'
export { type ReservationStatus, reservationUpdated } from './reservation-topics.ts'
export { NO_LINES, RESERVING, settled, withReservationEvents } from './settle.ts'
