import { eventData, jsonText } from '../events/index.ts'
import { countUpdated } from './count-topics.ts'
import { countLine, countSummary } from './schemas.ts'

/** SQL for whether those who see the count `r` see no expectations now. */
const IS_BLIND = `(r.blind and r.state = 'counting')`

/** SQL for the JSON of a count `r`, as the API shows it; without `lines`, as in lists. `lines` is SQL for their texts, with commas. */
export function countJson(lines?: string): string {
  const text = jsonText(countSummary, {
    id: 'r.id',
    reference: 'r.reference',
    warehouse_id: 'r.warehouse_id',
    state: 'r.state',
    blind: 'r.blind',
    location_ids: 'r.location_ids',
    product_ids: 'r.product_ids',
    note: 'r.note',
    lines_total: 'r.lines_total',
    lines_counted: 'r.lines_counted',
    lines_different: `case when not ${IS_BLIND} then r.lines_different end`,
    created_by: 'r.created_by',
    created_at: 'r.created_at',
    updated_at: 'r.updated_at',
    approved_at: 'r.approved_at',
    cancelled_at: 'r.cancelled_at',
    cancellation_reason: 'r.cancellation_reason',
  })
  return lines === undefined ? `${text}::json` : `(left(${text}, -1) || ',"lines":[' || ${lines} || ']}')::json`
}

/** SQL for the JSON text of a line `l` with its product `p` and its location `k`. `expected` and `isHidden` are SQL. */
export function lineText({ expected, isHidden }: { expected: string; isHidden: string }): string {
  return jsonText(countLine, {
    id: 'l.id',
    product_id: 'l.product_id',
    sku: 'p.external_id',
    barcode: 'p.barcode',
    product_name: 'p.name',
    location_id: 'l.location_id',
    location_code: 'k.code',
    counted_quantity: 'l.counted',
    expected_quantity: `case when not ${isHidden} then ${expected} end`,
    variance: `case when not ${isHidden} then l.counted - l.expected end`,
    counted_at: 'l.counted_at',
    operator_id: 'l.operator_id',
    movement_id: 'l.movement_id',
  })
}

/** Lateral joins for the product `p` and the location `k` of a line `l`. */
export const NAMES_OF_LINE = `cross join lateral (
       select external_id, barcode, name from products where tenant_id = $1 and id = l.product_id limit 1
     ) p cross join lateral (
       select code, pick_sequence from locations where tenant_id = $1 and id = l.location_id limit 1
     ) k`

/** The order of lines `l` with their locations `k`: pick order, then by product. */
export const LINE_ORDER = 'k.pick_sequence nulls last, l.location_id, l.product_id'

/** What a line `l` that is not counted yet expects: its level now. */
const LEVEL_NOW = `case when l.counted_at is not null then l.expected when r.state in ('counting', 'review') then (
       select quantity from stock_levels where tenant_id = $1 and product_id = l.product_id and location_id = l.location_id
     ) end`

/** SQL for the texts of the lines of a count `r`, with commas. */
export const LINES = `(
     select string_agg(${lineText({ expected: LEVEL_NOW, isHidden: IS_BLIND })}, ',' order by ${LINE_ORDER})
     from stock_count_lines l ${NAMES_OF_LINE} where l.tenant_id = $1 and l.record_id = r.id
   )`

/** SQL for the `data` of the event of a count `r`. `previousState` is SQL. */
export const countUpdatedData = (previousState: string): string =>
  eventData(countUpdated, {
    count_id: 'r.id',
    reference: 'r.reference',
    warehouse_id: 'r.warehouse_id',
    state: 'r.state',
    previous_state: previousState,
    lines_counted: 'r.lines_counted',
    lines_different: `case when r.state = 'approved' then r.lines_different end`,
    updated_at: 'r.updated_at',
  })
