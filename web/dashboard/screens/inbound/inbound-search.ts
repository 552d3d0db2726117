import { RECEIVING_STATES, type ReceivingStateName } from '../../receiving/receiving-state.tsx'
import { pageOf, textOf } from '../../search-parameters.ts'

/** The filters of the list of deliveries, as they are in the address. */
export interface InboundSearch {
  state?: ReceivingStateName | undefined
  reference?: string | undefined
  page?: number | undefined
}

export function parseInboundSearch(search: Record<string, unknown>): InboundSearch {
  return {
    state: RECEIVING_STATES.find((state) => state === search.state),
    reference: textOf(search.reference),
    page: pageOf(search.page),
  }
}
