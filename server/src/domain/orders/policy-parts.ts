import { IS_RESERVING, RESERVING, settled, withReservationEvents } from '../reservation-core/index.ts'
import { FIRST_REQUEST_PARAMETER } from './submission-values.ts'

/**
 * The parts of `insertOrdersSql` that depend on whether the tenant has a reservation policy. All but the first are SQL, and may be empty.
 * The relations that they read, such as `new_order`, are those of `insertOrdersSql`.
 */
export interface PolicyParts {
  /** Number of the first parameter of the requests. */
  firstRequestParameter: number
  /** CTEs that read the policy, each with a comma after it. */
  policy: string
  /** The `where` clause of `submitted`. */
  condition: string
  /** What follows the lookup of the product with the barcode `l.barcode`: `union all` and a lookup elsewhere, with the columns of products. */
  otherProducts: string
  /** CTEs that `refused` reads, each with a comma before it. */
  checks: string
  /** The query of `refused`. Its columns `call` and `position` tell the order, the others the reason. */
  refused: string
  /** The `returning` clause of `created_line`. */
  returning: string
  /** CTEs that settle the reservations of the new orders, each with a comma before it. */
  settling: string
  /** The relation with the events, for `recordEvents`. */
  events: string
  /** The query after all CTEs. Its rows are `InsertedOrder`. */
  result: string
}

/** From: the submitted orders `s`. `l.barcodes` are the barcodes of an order that no product has, null for none. */
const SUBMITTED = `
     from submitted s left join (
       select order_number, json_agg(barcode order by position) as barcodes from new_line where product_id is null group by order_number
     ) l on l.order_number = s.number`
/** From: the rows `c` of the created orders, and the orders `n` as submitted. */
const CREATED = 'from created c join new_order n on n.id = c.id'

/**
 * For the policy `off`. Half the size of the other: what a plan costs grows with it, also where it finds nothing to do. Two cases need the
 * other: while the tenant reserves, the statement only reports that; and it looks up primary barcodes alone, so a barcode that it does not
 * find may be an additional one.
 */
export const WITHOUT_POLICY: PolicyParts = {
  firstRequestParameter: FIRST_REQUEST_PARAMETER.withoutPolicy,
  policy: `policy as materialized (select ${IS_RESERVING} as is_reserving), `,
  condition: 'where not (select is_reserving from policy)',
  otherProducts: '',
  checks: '',
  refused: `
     select call, position, warehouse_name is null as lacks_warehouse, l.barcodes${SUBMITTED}
     where warehouse_name is null or l.barcodes is not null`,
  returning: '',
  settling: '',
  events: 'order_event',
  result: `select n.call, n.position, c.id, false as lacks_warehouse, null as unknown_barcodes, false as is_reserving ${CREATED}
   union all
   select call, position, null, lacks_warehouse, barcodes, false from refused
   union all
   select c.call, 0, null, false, null, true from policy cross join unnest($2::int[]) c (call) where is_reserving`,
}

/** The packs that have one of the unknown barcodes of a refused order. */
const PACKS = `(select json_agg(json_build_object('barcode', b.barcode, 'quantity', b.quantity::float8, 'product_barcode', p.barcode))
     from json_array_elements_text(barcodes) u (barcode)
     cross join lateral (select * from product_barcodes where tenant_id = $1 and barcode = u.barcode limit 1) b
     cross join lateral (select * from products where tenant_id = $1 and id = b.product_id and is_active limit 1) p)`

/**
 * For any policy. While the tenant reserves, new orders take over the holds that they name (`named_hold`), and their lines are settled. Under
 * `strict`, orders with lines that cannot be reserved in full (`short_line`) are refused.
 */
export const WITH_POLICY: PolicyParts = {
  firstRequestParameter: FIRST_REQUEST_PARAMETER.withPolicy,
  policy: `${RESERVING}, `,
  condition: '',
  // Among additional barcodes. Those of packs are not ordered: the quantity of a line is in base units.
  otherProducts: `
       union all
       select p.* from (select product_id from product_barcodes where tenant_id = $1 and barcode = l.barcode and quantity = 1 limit 1) b
       cross join lateral (select * from products where tenant_id = $1 and id = b.product_id and is_active limit 1) p
       limit 1`,
  checks: `, named_hold as materialized (
     -- A reference means the newest hold that has it.
     select n.number, h.id, h.id is null or h.warehouse_id <> n.warehouse_id as is_missing
     from reserving r cross join unnest($14::text[]) with ordinality g (reference, number) join new_order n using (number)
     left join lateral (
       select id, warehouse_id from holds where tenant_id = r.tenant_id and reference = g.reference order by id desc limit 1
     ) h on true
     where g.reference is not null
   ), invalid as materialized (
     select call, position, number, warehouse_name is null as lacks_warehouse, coalesce(h.is_missing, false) as lacks_hold, l.barcodes${SUBMITTED}
     left join named_hold h using (number)
     where warehouse_name is null or h.is_missing or l.barcodes is not null
   ), short_line as materialized (
     select j.order_number, json_agg(json_build_object('position', j.line_position, 'available', j.available::float8) order by j.line_position) as lines
     from (
       select r.tenant_id from reserving r join tenant_settings t on t.tenant_id = $1 and t.tenant_id = r.tenant_id and t.reservation_policy = 'strict'
     ) r, (
       select array_agg(number order by number) as numbers, array_agg(order_tenant_id order by number) as identifiers,
         array_agg(h.id order by number) as holds
       from new_order left join named_hold h using (number)
     ) o, (
       select array_agg(n.call order by l.position) as calls, array_agg(n.number order by l.position) as orders,
         array_agg(l.product_id order by l.position) as products, array_agg(n.warehouse_id order by l.position) as warehouses,
         array_agg(l.quantity order by l.position) as quantities, array_agg(a.may_be_backordered order by l.position) as may_be_backordered
       from new_line l join new_order n on n.number = l.order_number
       join unnest($13::boolean[]) with ordinality a (may_be_backordered, number) on a.number = n.number
       where not exists (select from invalid i where i.call = n.call)
     ) l, judge_orders(
       r.tenant_id, o.numbers, o.identifiers, o.holds, l.calls, l.orders, l.products, l.warehouses, l.quantities, l.may_be_backordered
     ) j
     group by j.order_number
   )`,
  refused: `
     select call, position, lacks_warehouse, lacks_hold, barcodes, null::json as short_lines from invalid
     union all
     select n.call, n.position, false, false, null, s.lines from short_line s join new_order n on n.number = s.order_number`,
  returning: 'returning order_id',
  settling: `, ${settled({
    lines: `select c.id as order_id, null::bigint as order_line_id, false as from_elsewhere, h.id as hold_id
       from (select order_id as id from created_line group by order_id) c join new_order n using (id) left join named_hold h using (number)`,
    areNew: true,
  })}`,
  events: withReservationEvents('order_event'),
  result: `select n.call, n.position, c.id, false as lacks_warehouse, false as lacks_hold, null as unknown_barcodes, null as packs, null as short_lines,
     case when exists (select from settled s where s.order_id = c.id) or r.phase in ('clearing', 'collecting') then 'backordered'
       when r.tenant_id is not null then 'reserved' end as reservation_status, r.tenant_id is not null as is_reserving
   ${CREATED} left join reserving r on true
   union all
   select call, position, null, lacks_warehouse, lacks_hold, barcodes, ${PACKS}, short_lines, null, exists (select from reserving) from refused`,
}
