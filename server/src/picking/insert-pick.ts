import { statement } from '../database/statement.ts'
import { recordEvents } from '../events/index.ts'
import { lockedOrder } from '../order-states/index.ts'
import { applyStockChanges } from '../stock/index.ts'
import { lineFields } from './line-fields.ts'
import { orderOfFlow } from './lock-order.ts'
import { pickJson, type PickRow } from './pick-row.ts'
import type { PickingFlow } from './schemas.ts'

/** What became of a pick: the pick when it was taken, now or before; else the `refusal`, which is null when stock is short. */
export interface PickResult {
  /** Null when nothing was taken. */
  pick: PickRow | null
  /** Whether the pick that had the pick_id already is the same one; null when there was none. */
  is_same: boolean | null
  refusal: 'stale' | 'over' | 'unknown' | 'fraction' | 'beyond' | null
  state: PickingFlow['state'] | null
  /** What is left to pick of the lines that were meant. */
  remaining: number | null
  /** What is in stock, when that is short. */
  available: number | null
}

/**
 * Takes a pick, whole or not at all, or finds the one that was taken with the same pick_id. No row when there is no such flow.
 *
 * The order and the flow are locked, and thereby read as they are now; picks and lines are read as of the beginning. They are out of date
 * when others picked in between, for which the statement waited: `revision` tells, the result is `stale`, and nothing is done.
 */
export const insertPick = statement<
  [
    tenantId: number,
    flowId: number,
    productId: number | null,
    barcode: string | null,
    orderDetailId: number | null,
    locationId: string,
    quantity: number,
    pickId: string | null,
    defaultWarehouseId: number,
    createdBy: string,
  ],
  PickResult
>(
  'insert_pick',
  `with flow as materialized (
     select order_id, revision from picking_flows where tenant_id = $1 and id = $2
   ), wanted as materialized (
     select coalesce($3::bigint, (select id from products where tenant_id = $1 and barcode = $4::text)) as product_id
   ), earlier as materialized (
     select p.*, p.location_id = $6::text and p.quantity = $7::numeric and p.order_line_id is not distinct from $5::bigint
       and ($5 is not null or p.product_id is not distinct from w.product_id) as is_same
     from picks p cross join wanted w where p.tenant_id = $1 and p.flow_id = $2 and p.id = $8::text
   ), ${lockedOrder(`id = ${orderOfFlow('$2')} and not exists (select from earlier)`)},
   locked_flow as materialized (
     select f.order_id, f.state, f.operator_id, f.revision
     from locked_order o join picking_flows f on f.tenant_id = $1 and f.id = $2 and f.order_id = o.id
     for no key update of f
   ), product as materialized (
     select id, weighable from products
     where tenant_id = $1 and id = coalesce(
       (select product_id from wanted),
       (select l.product_id from order_lines l where l.tenant_id = $1 and l.order_id = (select order_id from flow) and l.id = $5)
     )
   ), line as materialized (
     select l.*, greatest(least(remaining, $7 - filled_before), 0) as taken
     from (
       select id, product_id, barcode, product_name, quantity, picked_quantity, picked_before_flow, quantity - picked_quantity as remaining,
         sum(quantity - picked_quantity) over (order by id) - (quantity - picked_quantity) as filled_before
       from order_lines
       where tenant_id = $1 and order_id = (select order_id from flow) and product_id = (select id from product) and ($5 is null or id = $5)
     ) l
   ), judged as materialized (
     select f.order_id, f.operator_id, f.state, p.id as product_id, l.*, case
       when f.revision <> (select revision from flow) then 'stale'
       when f.state <> 'started' then 'over'
       when p.id is null then 'unknown'
       when not p.weighable and $7 <> trunc($7) then 'fraction'
       when l.remaining < $7 then 'beyond'
     end as refusal
     from locked_flow f left join product p on true cross join (
       select coalesce(sum(remaining), 0) as remaining, count(*) filter (where taken > 0 and picked_quantity = picked_before_flow) as new_items,
         jsonb_agg(jsonb_build_object(${lineFields('x', '(x.picked_quantity + x.taken)')}, 'taken', taken) order by id) filter (where taken > 0) as lines
       from line x
     ) l
   ), stock_change as materialized (
     select 1 as position, product_id, $6 as location_id, -$7 as amount, 'OUT' as movement_type, 'order_fulfillment' as reason,
       operator_id as user_id, order_id, null::text as other_location_id
     from judged where refusal is null
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'apart',
     amount: 'relative',
     eventReason: 'order_fulfillment',
     defaultWarehouse: '$9::bigint',
     createdBy: '$10::text',
   })}, picked_line as (
     update order_lines l set picked_quantity = x.picked_quantity + x.taken
     from stock_movement m cross join line x
     where l.tenant_id = $1 and l.order_id = (select order_id from flow) and l.id = any (array(select id from line)) and l.id = x.id and x.taken > 0
   ), changed_flow as (
     update picking_flows f
     set items_picked = f.items_picked + j.new_items, total_quantity_picked = f.total_quantity_picked + m.quantity, revision = f.revision + 1
     from stock_movement m cross join judged j
     where f.tenant_id = $1 and f.id = $2
   ), new_pick as (
     insert into picks (tenant_id, flow_id, id, product_id, location_id, quantity, order_line_id, lines, movement_id, created_at)
     select $1, $2, coalesce($8, gen_random_uuid()::text), m.product_id, m.location_id, m.quantity, $5, j.lines, m.id, m.created_at
     from stock_movement m cross join judged j
     returning id, product_id, location_id, quantity, lines, created_at
   ), ${recordEvents('stock_event')}, taken as (
     select ${pickJson('p')} as pick, is_same from earlier p
     union all
     select ${pickJson('p')}, null from new_pick p
   )
   select t.pick, t.is_same, j.refusal, j.state, j.remaining, s.available
   from flow f left join judged j on true left join short_level s on true left join taken t on true`,
)
