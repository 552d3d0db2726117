import { slice } from '../../procedures/slice.ts'
import { reservationUpdated } from '../reservation-core/index.ts'
import { createHold } from './create-hold.ts'
import { getBlockers } from './get-blockers.ts'
import { getHold } from './get-hold.ts'
import { listAvailability } from './list-availability.ts'
import { listHolds } from './list-holds.ts'
import { listReservations } from './list-reservations.ts'
import { releaseHold } from './release-hold.ts'
import { settleRest } from './settle-rest.ts'
import { switchReserving } from './switch-reserving.ts'
import { updateHold } from './update-hold.ts'

/** Reservations of stock for orders, and holds for carts. */
export const reservations = slice({
  tags: [{ name: 'holds', description: 'Stock kept for carts for a limited time.' }],
  endpoints: [listAvailability, listReservations, getBlockers, createHold, listHolds, getHold, updateHold, releaseHold],
  topics: [reservationUpdated],
  tasks: [
    { everyMs: 1_000, run: settleRest },
    { everyMs: 500, run: switchReserving },
  ],
})
