import type { Queryable } from '../../database/database.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { reservationPhase } from '../reservation-core/index.ts'

/** Throws `hold_error` while the tenant does not reserve, or does not yet for all open orders. */
export async function requireReserving(db: Queryable, tenantId: number): Promise<void> {
  const phase = await reservationPhase(db, tenantId)
  if (phase === 'ready') return
  const message =
    phase === undefined
      ? 'Holds need a reservation policy other than off'
      : 'The reservation policy is being switched; try again when reservation_state is ready'
  throw new ServiceError('hold_error', message)
}
