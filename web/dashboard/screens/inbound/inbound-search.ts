import { pageOf, textOf } from '../../search-parameters.ts'

export const INBOUND_STATES = ['expected', 'receiving', 'closed', 'cancelled'] as const
export type InboundState = (typeof INBOUND_STATES)[number]

/** The filters of the list of deliveries, as they are in the address. */
export interface InboundSearch {
  state?: InboundState | undefined
  reference?: string | undefined
  page?: number | undefined
}

export function parseInboundSearch(search: Record<string, unknown>): InboundSearch {
  return {
    state: INBOUND_STATES.find((state) => state === search.state),
    reference: textOf(search.reference),
    page: pageOf(search.page),
  }
}
