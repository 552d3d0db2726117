import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement, type StatementRunner } from '../../database/statements/statement.ts'
import { isGiven } from '../../procedures/fields/fields.ts'
import { recordEvents } from '../events/index.ts'
import { withTolerance } from '../order-states/index.ts'
import { isSentAgain, resolveName, sentName } from '../records/index.ts'
import { settled, withReservationEvents } from '../reservation-core/index.ts'
import { applyStockChanges, groupOf, SETTLED_STOCK, type StockCaller } from '../stock/index.ts'
import { lineFields, toleranceFields } from './line-fields.ts'
import { lockOfFlow } from './order-lock.ts'
import { countPicks } from './pick-counts.ts'
import { pickJson, type PickRow } from './pick-row.ts'
import type { NewPick, PickingFlow } from './schemas.ts'

/** The result of a pick: the pick if it was recorded, now or earlier; otherwise the `refusal`, which is null when stock is short. */
export interface PickResult {
  /** Null when no pick was recorded. */
  pick: PickRow | null
  /** Whether the earlier pick with this pick_id is the same pick; null when there is no earlier pick. */
  is_same: boolean | null
  refusal: Refusal | null
  /** Name or e-mail address of the operator who has the flow, if it is another one. Read here: a batched call runs no other statement. */
  foreign_operator: string | null
  state: PickingFlow['state'] | null
  /** Quantity to pick: as sent, or as the barcode carries it. Null for none. */
  quantity: number | null
  /** Most that can still be picked of the lines named by the input. */
  room: number | null
  /** Stock at the location, when it is short. */
  available: number | null
}

/** Why a pick is refused. */
type Refusal =
  /** What the statement has read is out of date: the pick runs again. */
  | 'stale'
  /** It has no quantity, and its barcode carries none. */
  | 'unmeasured'
  /** The flow is another operator's. */
  | 'foreign'
  /** The flow is completed or cancelled. */
  | 'over'
  /** There is no such product or line. */
  | 'unknown'
  /** It has a fraction of a product that is not weighable. */
  | 'fraction'
  /** It exceeds what is left to pick and the tolerance. */
  | 'beyond'
  /** The location is not pickable. */
  | 'unpickable'

/** A pick, and who makes it. */
interface Picking {
  caller: StockCaller
  input: NewPick
  /** The operator whose flow it must be; null for any. */
  operatorEmail: string | null
  /** What named the product, when its barcode was resolved: it may mean something else later. */
  sentName?: string
}

type Values = [
  tenantId: number | undefined,
  flowIds: number[],
  productIds: (number | null)[],
  barcodes: (string | null)[],
  orderDetailIds: (number | null)[],
  locationIds: string[],
  quantities: (number | null)[],
  pickIds: (string | null)[],
  defaultWarehouseId: number | undefined,
  createdBy: string | undefined,
  operatorEmails: (string | null)[],
  sentNames: (string | null)[],
]

/** A line `x` after the pick, of which it got `x.taken`. */
const LINE_AFTER = `jsonb_build_object(${lineFields('x', '(x.picked_quantity + x.taken)')}, 'taken', x.taken) || ${toleranceFields('x', '(x.picked_quantity + x.taken)', `'{}'`)}`

/** What a line `l` can take beyond what was ordered. */
const BEYOND = withTolerance(
  'l',
  'most_to_pick(l.quantity, l.pick_tolerance_percent) - greatest(l.quantity, l.picked_quantity)',
  '0',
)

/** Of the order of a row `j`, while the tenant reserves. */
const WAREHOUSE_OF_ORDER =
  'cross join lateral (select warehouse_id from orders where tenant_id = r.tenant_id and id = j.order_id limit 1) o'

/**
 * Records picks, each all or nothing, or finds the earlier pick with the same pick_id. No row when there is no such flow. The flows differ;
 * of picks that turn out to take the same product, all but the first are `stale`.
 *
 * Steps: `wanted` are the picks, `earlier` those made before; orders and flows of the others are locked; `line` says what each line takes, and
 * `judged` whether a pick is refused. Picks that are not take their stock, fill their lines and are stored (`made_pick`), counted in the flow
 * and the report, settled and announced by events.
 *
 * Orders and flows are locked, so their latest versions are read; picks and lines are read as of the beginning of the statement. If the
 * statement waited for another pick, they are out of date: `revision` differs, the result is `stale`, and nothing is changed. Order lines
 * are updated by ctid: unless the result is stale, they have not changed since they were read.
 *
 * A pick fills lines in order, each up to what was ordered. What is left goes in the same order to what their tolerance allows beyond that.
 */
const insertPicksStatement = statement<Values, PickResult & { call: number }>({
  name: 'insert_picks',
  connection: 'write',
  sql: `with wanted as materialized (
     select c.*, f.order_id, f.revision,
       coalesce(c.product_id, (select id from products where tenant_id = $1 and barcode = c.barcode limit 1)) as named_product_id
     from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::numeric[], $8::text[], $11::text[], $12::text[]) with ordinality
       c (flow_id, product_id, barcode, order_line_id, location_id, quantity, pick_id, operator_email, sent_name, position)
     cross join lateral (select order_id, revision from picking_flows where tenant_id = $1 and id = c.flow_id limit 1) f
   ), earlier as materialized (
     select w.position, p.*, p.location_id = w.location_id and p.order_line_id is not distinct from w.order_line_id and coalesce(
       p.quantity = w.quantity and (w.order_line_id is not null or p.product_id is not distinct from w.named_product_id)
         or ${isSentAgain('p.quantity', 'p', 'w')}, false) as is_same
     from wanted w cross join lateral (
       select * from picks where tenant_id = $1 and flow_id = w.flow_id and id = w.pick_id limit 1
     ) p
   ), locked_order as materialized (
     select id from orders
     where tenant_id = $1 and id = any (array(select order_id from wanted w where not exists (select from earlier e where e.position = w.position)))
     order by id for no key update
   ), locked_flow as materialized (
     select f.id, f.order_id, f.state, f.operator_id, f.operator_email, f.revision from picking_flows f
     where f.tenant_id = $1 and f.id = any (array(select flow_id from wanted)) and f.order_id = any (array(select id from locked_order))
     order by f.id for no key update
   ), product as materialized (
     select w.position, p.id, p.weighable
     from wanted w cross join lateral (
       select id, weighable from products
       where tenant_id = $1 and id = coalesce(
         w.named_product_id,
         (select l.product_id from order_lines l where l.tenant_id = $1 and l.order_id = w.order_id and l.id = w.order_line_id limit 1)
       )
       limit 1
     ) p
   ), line as materialized (
     select l.*, greatest(least(missing, wanted_quantity - missing_before), 0) + greatest(least(beyond, wanted_quantity - all_missing - beyond_before), 0) as taken
     from (
       select w.position, w.quantity as wanted_quantity, l.*, sum(missing) over (partition by w.position) as all_missing,
         sum(missing) over in_order - missing as missing_before, sum(beyond) over in_order - beyond as beyond_before
       from wanted w join product p using (position) cross join lateral (
         select ctid as place, id, product_id, barcode, product_name, quantity, picked_quantity, picked_before_flow, pick_tolerance_percent,
           greatest(quantity - picked_quantity, 0) as missing, ${BEYOND} as beyond
         from order_lines l
         where tenant_id = $1 and order_id = w.order_id and product_id = p.id and (w.order_line_id is null or id = w.order_line_id)
         offset 0
       ) l
       window in_order as (partition by w.position order by l.id)
     ) l
   ), judged as materialized (
     select w.position, w.flow_id, coalesce(w.pick_id, gen_random_uuid()::text) as pick_id, w.quantity, w.location_id, f.order_id, f.operator_id, f.operator_email, f.state, p.id as product_id, coalesce(l.room, 0) as room,
       l.new_items, l.lines, case
       when f.revision <> w.revision then 'stale'
       when w.quantity is null and p.id is not null then 'unmeasured'
       when w.operator_email is not null and fold_case(w.operator_email) <> fold_case(f.operator_email) then 'foreign'
       when f.state <> 'started' then 'over'
       when p.id is null then 'unknown'
       when not p.weighable and w.quantity <> trunc(w.quantity) then 'fraction'
       when coalesce(l.room, 0) < w.quantity then 'beyond'
       when (select not pickable from locations where tenant_id = $1 and id = w.location_id limit 1) then 'unpickable'
       when row_number() over (partition by p.id order by w.position) > 1 then 'stale'
     end as refusal
     from wanted w join locked_flow f on f.id = w.flow_id left join product p using (position) left join (
       select position, sum(missing + beyond) as room, count(*) filter (where taken > 0 and picked_quantity = picked_before_flow) as new_items,
         jsonb_agg(${LINE_AFTER} order by id) filter (where taken > 0) as lines
       from line x group by position
     ) l using (position)
   ), stock_change as materialized (
     select position::int, product_id, location_id, -quantity as amount, 'OUT' as movement_type, 'order_fulfillment' as reason,
       operator_id as user_id, order_id, null::text as other_location_id, flow_id, pick_id
     from judged where refusal is null
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'apart',
     amount: 'relative',
     eventReason: 'order_fulfillment',
     defaultWarehouse: '$9::bigint',
     createdBy: '$10::text',
     areOfPicks: true,
     totalsOfLines: `select j.product_id, o.warehouse_id from reserving r cross join judged j ${WAREHOUSE_OF_ORDER} where j.refusal is null`,
   })}, picked_line as (
     update order_lines l set picked_quantity = x.picked_quantity + x.taken
     from stock_movement m join line x using (position)
     where l.ctid = any (array(select place from line where taken > 0)) and l.ctid = x.place and l.tenant_id = $1 and x.taken > 0
     returning l.order_id, l.id as order_line_id, l.product_id
   ), made_pick as materialized (
     select m.*, j.new_items, j.lines, j.operator_email, w.order_line_id, w.sent_name
     from stock_movement m join judged j using (position) join wanted w using (position)
   ), changed_flow as (
     -- By the flow's id alone: with a list of all ids too, the planner reads all flows of the call again for each pick.
     update picking_flows f
     set items_picked = f.items_picked + m.new_items, total_quantity_picked = f.total_quantity_picked + m.quantity, revision = f.revision + 1
     from made_pick m
     where f.tenant_id = $1 and f.id = m.flow_id
   ), new_pick as (
     insert into picks (tenant_id, flow_id, id, product_id, location_id, quantity, order_line_id, lines, movement_id, created_at, operator_email, sent_name)
     select $1, flow_id, pick_id, product_id, location_id, quantity, order_line_id, lines, id, created_at, operator_email, sent_name
     from made_pick
     returning flow_id, id, product_id, location_id, quantity, lines, created_at, operator_email
   ), ${countPicks('new_pick', 1)}, ${settled({
     stock: SETTLED_STOCK,
     lines: `select j.order_id, j.order_line_id, not v.sellable or v.warehouse_id <> o.warehouse_id as from_elsewhere
       from reserving r cross join picked_line j join changed_level v using (product_id) ${WAREHOUSE_OF_ORDER}`,
   })}, ${recordEvents(withReservationEvents('stock_event'))}, taken as (
     select position, ${pickJson('p')} as pick, is_same from earlier p
     union all
     select w.position, ${pickJson('p')}, null from new_pick p join wanted w using (flow_id)
   )
   select w.position::int - 1 as call, t.pick, t.is_same, j.refusal, j.state, w.quantity, j.room, s.available, case j.refusal when 'foreign' then
     coalesce((select o.name from operators o where o.tenant_id = $1 and fold_case(o.email) = fold_case(j.operator_email)), j.operator_email)
   end as foreign_operator
   from wanted w left join judged j using (position) left join short_level s on s.product_id = j.product_id and j.refusal is null
   left join taken t using (position)`,
})

/** Records a pick. Picks of one statement are in different flows. */
export const insertPicks: BatchedStatement<Picking, PickResult & { call: number }, Values> = {
  statement: insertPicksStatement,
  valuesOf: (picks) => [
    picks[0]?.caller.tenantId,
    picks.map(({ input }) => input.id),
    picks.map(({ input }) => input.product_id ?? null),
    picks.map(({ input }) => input.barcode ?? null),
    picks.map(({ input }) => input.order_detail_id ?? null),
    picks.map(({ input }) => input.location_id),
    picks.map(({ input }) => input.quantity ?? null),
    picks.map(({ input }) => input.pick_id ?? null),
    picks[0]?.caller.defaultWarehouse.id,
    picks[0]?.caller.keyName,
    picks.map(({ operatorEmail }) => operatorEmail),
    picks.map((picking) => picking.sentName ?? null),
  ],
  groupOf: ({ caller }) => groupOf(caller, 'pick'),
  changedBy: ({ input }) => [
    `flow ${input.id}`,
    `product ${input.product_id ?? input.barcode ?? `of line ${input.order_detail_id}`}`,
  ],
  sizeOf: () => 1,
  secondRun: {
    isNeeded: ([row], { input }) => row?.refusal === 'stale' || (isGiven(input.barcode) && mayMeanMore(row)),
    lock: ({ caller, input }) => lockOfFlow(caller.tenantId, input.id),
    prepare: resolved,
  },
}

/** Whether the barcode may name another product than by its primary barcode, or have the quantity. */
const mayMeanMore = (row: PickResult | undefined): boolean =>
  row?.refusal === 'unknown' || row?.refusal === 'unmeasured' || row?.is_same === false

/** The pick with the product that its barcode names, and the quantity that it carries. */
async function resolved(db: StatementRunner, picking: Picking): Promise<Picking> {
  const { caller, input } = picking
  if (!isGiven(input.barcode)) return picking
  return { ...picking, input: await resolveName(db, caller.tenantId, input), sentName: sentName(input) }
}
