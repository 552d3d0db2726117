import { t } from '../../../shared/texts/texts.ts'
import { ORDER_STATES, type OrderStateId } from '../../kit/order-state.tsx'
import { RESERVATION_STATUSES, type ReservationStatusId } from '../../kit/reservation-status.tsx'
import { pageOf, textOf, textsOf } from '../../search-parameters.ts'

/** The filters of the list of orders, as they are in the address. */
export interface OrdersSearch {
  state?: OrderStateId[] | undefined
  assembly_date?: string | undefined
  assembly_until?: string | undefined
  from?: string | undefined
  to?: string | undefined
  customer?: string | undefined
  order_tenant_id?: string | undefined
  reservation_status?: ReservationStatusId | undefined
  page?: number | undefined
}

export function parseOrdersSearch(search: Record<string, unknown>): OrdersSearch {
  const states = Array.isArray(search.state) ? search.state.map(String) : textsOf(search.state)
  const wanted = ORDER_STATES.filter((id) => states.some((text) => text === String(id) || text === t.orders.states[id]))
  return {
    state: wanted.length === 0 ? undefined : wanted,
    assembly_date: textOf(search.assembly_date),
    assembly_until: textOf(search.assembly_until),
    from: textOf(search.from),
    to: textOf(search.to),
    customer: textOf(search.customer),
    order_tenant_id: textOf(search.order_tenant_id),
    reservation_status: RESERVATION_STATUSES.find((status) => status === search.reservation_status),
    page: pageOf(search.page),
  }
}
