import { idOf, pageOf, textOf } from '../../search-parameters.ts'

export const MOVEMENT_TYPES = ['IN', 'OUT', 'TRANSFER', 'ADJUSTMENT'] as const
type MovementType = (typeof MOVEMENT_TYPES)[number]

/** The filters of the API, as they are in the address. */
export interface MovementsSearch {
  product_id?: number | undefined
  location_id?: string | undefined
  movement_type?: MovementType | undefined
  start_date?: string | undefined
  end_date?: string | undefined
  order_id?: number | undefined
  page?: number | undefined
}

export function parseMovementsSearch(search: Record<string, unknown>): MovementsSearch {
  return {
    product_id: idOf(search.product_id),
    location_id: textOf(search.location_id),
    movement_type: MOVEMENT_TYPES.find((type) => type === search.movement_type),
    start_date: textOf(search.start_date),
    end_date: textOf(search.end_date),
    order_id: idOf(search.order_id),
    page: pageOf(search.page),
  }
}
