import { t } from '../../shared/texts/texts.ts'
import { Badge } from './badge.tsx'
import { None } from './time.tsx'

export const RESERVATION_STATUSES = ['reserved', 'backordered'] as const
export type ReservationStatusId = (typeof RESERVATION_STATUSES)[number]

/** Whether an order has all its stock reserved. Undefined while the tenant does not reserve, null when the order is over. */
export function ReservationStatus({ status }: { status: ReservationStatusId | null | undefined }) {
  if (status === undefined || status === null) return <None />
  return <Badge kind={status === 'reserved' ? 'ok' : 'warn'}>{t.reservations.statuses[status]}</Badge>
}
