import { idOf, pageOf, textOf } from '../../search-parameters.ts'

export const COUNT_STATES = ['counting', 'review', 'approved', 'cancelled'] as const
export type CountState = (typeof COUNT_STATES)[number]

/** The filters of the list of counts, as they are in the address. */
export interface CountsSearch {
  state?: CountState | undefined
  warehouse_id?: number | undefined
  reference?: string | undefined
  page?: number | undefined
}

export function parseCountsSearch(search: Record<string, unknown>): CountsSearch {
  return {
    state: COUNT_STATES.find((state) => state === search.state),
    warehouse_id: idOf(search.warehouse_id),
    reference: textOf(search.reference),
    page: pageOf(search.page),
  }
}

const SHOWN = ['open', 'different'] as const

/** Which lines of a count are shown; all of them unless it is given. */
interface CountSearch {
  show?: (typeof SHOWN)[number] | undefined
}

export function parseCountSearch(search: Record<string, unknown>): CountSearch {
  return { show: SHOWN.find((show) => show === search.show) }
}
