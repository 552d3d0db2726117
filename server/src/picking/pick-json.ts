import { isoTimestamp } from '../events/index.ts'

/** SQL for a pick as the API shows it. `pick` is the alias of a row of picks. */
export function pickJson(pick: string): string {
  return `json_build_object('id', ${pick}.id, 'product_id', ${pick}.product_id, 'location_id', ${pick}.location_id, 'quantity', ${pick}.quantity,
     'lines', (select json_agg(json_build_object('order_detail_id', x.order_detail_id, 'quantity', x.quantity) order by x.order_detail_id)
       from ${linesOfPick(pick)}),
     'created_at', ${isoTimestamp(`${pick}.created_at`)})`
}

/** SQL for what a pick did to the order's lines: a FROM item named `x`. */
export function linesOfPick(pick: string): string {
  return `jsonb_to_recordset(${pick}.lines) x (order_detail_id bigint, quantity numeric, picked_quantity numeric)`
}

/** SQL for the fields of an order line, for json_build_object. `line` is the alias of a row of order_lines, `picked` what is picked of it. */
export function lineFields(line: string, picked: string): string {
  return `'order_detail_id', ${line}.id, 'product_id', ${line}.product_id, 'barcode', ${line}.barcode, 'product_name', ${line}.product_name,
    'quantity', ${line}.quantity, 'picked_quantity', ${picked}, 'remaining', ${line}.quantity - ${picked}`
}
