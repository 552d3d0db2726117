import { RECEIVING_STATES, type ReceivingStateName } from '../../receiving/receiving-state.tsx'
import { idOf, pageOf, textOf } from '../../search-parameters.ts'

/** The filters of the list of returns, as they are in the address. */
export interface ReturnsSearch {
  state?: ReceivingStateName | undefined
  order_id?: number | undefined
  reference?: string | undefined
  page?: number | undefined
}

export function parseReturnsSearch(search: Record<string, unknown>): ReturnsSearch {
  return {
    state: RECEIVING_STATES.find((state) => state === search.state),
    order_id: idOf(search.order_id),
    reference: textOf(search.reference),
    page: pageOf(search.page),
  }
}
