import { jsonText } from '../events/index.ts'
import { openQuantity } from '../order-states/index.ts'
import { flowBatchShare, flowBatchStop, missingProduct } from './schemas.ts'

const QUANTITY = (sql: string): string => `(${sql})::float8`

/** SQL for the list of shares of rows `s` with `slot` and `quantity`. */
const SHARES = `('[' || string_agg(${jsonText(flowBatchShare, {
  slot: 's.slot',
  // Slots are numbered from 1.
  flow_id: '(select array_agg(id order by slot) from flow)[s.slot]',
  quantity: QUANTITY('s.quantity'),
})}, ',' order by s.slot) || ']')::json`

/** Digits of the number of a location among those of a product. */
const DIGITS = 9

/**
 * CTEs for the way through the warehouse of the batch `r`: `stop` and `missing`, with the JSON text of each in the column `text`. What a slot
 * wants of a product and what a location has of it are intervals, laid end to end: slots in order, locations in pick order. Where an interval
 * of a location overlaps with one of a slot, the slot gets the overlap; what lies behind the last location is missing.
 *
 * The overlaps are the pieces between two ends of intervals, whether of slots or of locations: one sort finds them. A piece belongs to the
 * first slot and to the first location that end where it ends, or later. As a join of slots and locations, whose sizes the planner does not
 * know, it compared each with each: 1.4 s for 1,000 lines. With the slots of a product in arrays that each location looked through, it took 1.4 times as
 * long: 47 against 33 ms for 1,000 lines of 1,000 products, each at 3 locations.
 */
export const STOPS = `flow as materialized (
     select f.id, f.slot, f.order_id, f.state from chosen r join picking_flows f on f.tenant_id = $1 and f.batch_id = r.id
   ), demand as materialized (
     select f.slot, l.product_id, sum(l.open) as quantity
     from flow f cross join lateral (
       select l.product_id, ${openQuantity('l')} as open from order_lines l
       where l.tenant_id = $1 and l.order_id = f.order_id and l.picked_quantity < l.quantity offset 0
     ) l
     where f.state = 'started' and l.open > 0
     group by f.slot, l.product_id
   ), place as materialized (
     select p.product_id, v.location_id, row_number() over places as number, sum(v.quantity) over places as last
     from chosen r cross join (select distinct product_id from demand) p cross join lateral (
       select v.location_id, v.quantity, k.pick_sequence from (
         select location_id, quantity from stock_levels
         where tenant_id = $1 and product_id = p.product_id and warehouse_id = r.warehouse_id and quantity > 0 offset 0
       ) v cross join lateral (
         select pick_sequence, pickable from locations where tenant_id = $1 and id = v.location_id limit 1
       ) k
       where k.pickable
     ) v
     window places as (partition by p.product_id order by v.pick_sequence nulls last, v.location_id)
   ), piece as materialized (
     select product_id, min(slot) over ends as slot, min(place) over ends as place, last - coalesce(lead(last) over ends, 0) as quantity
     from (
       select product_id, slot, null collate "C" as place, sum(quantity) over (partition by product_id order by slot) as last from demand
       union all
       -- The number is for min() alone.
       select product_id, null, lpad(number::text, ${DIGITS}, '0') || location_id collate "C", last from place
     ) e
     window ends as (partition by product_id order by last desc)
   ), taken as materialized (
     select product_id, substr(place, ${DIGITS + 1}) collate "default" as location_id, slot, quantity from piece where slot is not null and quantity > 0
   ), stop as (
     select s.location_id, k.pick_sequence, s.product_id, ${jsonText(flowBatchStop, {
       location_id: 's.location_id',
       location_code: 'k.code',
       product_id: 's.product_id',
       barcode: 'p.barcode',
       product_name: 'p.name',
       quantity: QUANTITY('s.quantity'),
       slots: 's.slots',
     })} as text
     from (
       select s.location_id, s.product_id, sum(s.quantity) as quantity, ${SHARES} as slots
       from taken s where s.location_id is not null group by s.product_id, s.location_id
     ) s cross join lateral (select barcode, name from products where tenant_id = $1 and id = s.product_id limit 1) p
     cross join lateral (select code, pick_sequence from locations where tenant_id = $1 and id = s.location_id limit 1) k
   ), missing as (
     select s.product_id, ${jsonText(missingProduct, {
       product_id: 's.product_id',
       quantity: QUANTITY('sum(s.quantity)'),
       slots: SHARES,
     })} as text
     from taken s where s.location_id is null group by s.product_id
   )`

/** SQL for the text of both lists, as further fields of a batch. */
export const STOPS_TEXT = `
     ',"stops":[' || coalesce((select string_agg(text, ',' order by pick_sequence nulls last, location_id, product_id) from stop), '')
     || '],"missing":[' || coalesce((select string_agg(text, ',' order by product_id) from missing), '') || ']'`
