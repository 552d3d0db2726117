import { isoTimestamp } from '../events/index.ts'
import type { PickResponse } from './schemas.ts'

/** A pick as stored. `lines` are the lines it filled, as they were after the pick, and the quantity of each. */
export interface PickRow {
  id: string
  product_id: number
  location_id: string
  quantity: number
  lines: (PickResponse['lines'][number] & { taken: number })[]
  created_at: string
}

/** SQL for a PickRow as JSON. `pick` is the alias of a row of picks. */
export function pickJson(pick: string): string {
  return `json_build_object('id', ${pick}.id, 'product_id', ${pick}.product_id, 'location_id', ${pick}.location_id, 'quantity', ${pick}.quantity,
     'lines', ${pick}.lines, 'created_at', ${isoTimestamp(`${pick}.created_at`)})`
}

/** A pick as the API shows it. */
export function shownPick({ lines, ...pick }: PickRow): PickResponse['pick'] {
  return { ...pick, lines: lines.map(({ order_detail_id, taken }) => ({ order_detail_id, quantity: taken })) }
}
