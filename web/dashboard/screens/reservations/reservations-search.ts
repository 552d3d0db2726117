import { idOf, pageOf, textOf } from '../../search-parameters.ts'

export const HOLD_STATES = ['active', 'consumed', 'released', 'expired'] as const
type HoldState = (typeof HOLD_STATES)[number]

/** The open list and its filters, as they are in the address. */
export interface ReservationsSearch {
  /** Reservations unless it is given. */
  show?: 'holds' | undefined
  product_id?: number | undefined
  warehouse_id?: number | undefined
  order_id?: number | undefined
  hold_id?: number | undefined
  /** Of holds, like `reference`. */
  state?: HoldState | undefined
  reference?: string | undefined
  page?: number | undefined
}

/** Each list has its own filters: those of the other are left out. */
export function parseReservationsSearch(search: Record<string, unknown>): ReservationsSearch {
  const page = pageOf(search.page)
  if (search.show === 'holds')
    return {
      show: 'holds',
      state: HOLD_STATES.find((state) => state === search.state),
      reference: textOf(search.reference),
      page,
    }
  return {
    product_id: idOf(search.product_id),
    warehouse_id: idOf(search.warehouse_id),
    order_id: idOf(search.order_id),
    hold_id: idOf(search.hold_id),
    page,
  }
}
