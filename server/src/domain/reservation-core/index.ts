export {
  availability,
  type Availability,
  availabilityColumns,
  availabilityFields,
  availabilityOf,
  availabilityOrNone,
  EXPIRED_HOLDS,
  IS_READY,
  IS_RESERVING,
  KEEPS_HOLDS,
  type SeenAvailability,
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
export { FORGOTTEN_MS, isKnownNotToReserve, readByPolicy, sawPolicy, wasReserving } from './policy-looks.ts'
export { incomingDeliveries, incomingOf, nextExpectedAt } from './incoming.ts'
export { reservationPhase } from './reservation-phase.ts'
export { type ReservationStatus, reservationUpdated } from './reservation-topics.ts'
export { NO_LINES, RESERVING, settled, withReservationEvents } from './settle.ts'
