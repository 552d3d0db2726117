import { takenOf, unpicked } from '../order-states/index.ts'

/** The values of a statement that packs: its first parameters. A line has the id of an order line, or of a product. */
export type PackedValues = [
  tenantId: number,
  orderId: number,
  packageNumbers: number[],
  orderLineIds: (number | null)[],
  productIds: (number | null)[],
  quantities: number[],
  weights: (number | null)[],
  widths: (number | null)[],
  heights: (number | null)[],
  depths: (number | null)[],
  carriers: (string | null)[],
  trackingNumbers: (string | null)[],
  trackingUrls: (string | null)[],
  labelUrls: (string | null)[],
]
/** The first parameter that follows. */
export const NEXT_VALUE = 15

/** The first line that cannot be packed; all are null if there is none. `order_line_id` is null for a product. */
export interface TooMuch {
  order_line_id: number | null
  product_id: number | null
  wanted: number | null
  taken: number | null
  packed: number | null
}

/**
 * CTEs that find out what goes to which order line, for a transaction that has locked the order in an earlier statement. In this order:
 * `order_line`, what was taken of each line and what all its shipments have of it; `room`, what named lines leave; `part`, the lines to
 * write, a product in order to what is left of the order's lines: both are intervals on one scale, and a part is where two overlap;
 * `too_much`, the first line for which there is no room.
 */
export const PACKED = `packed_order as materialized (
     select o.id, o.state_id, o.state_picking_id, ${unpicked('o')} as is_unpicked from orders o where o.tenant_id = $1 and o.id = $2
   ), order_line as materialized (
     select x.id, x.product_id, ${takenOf('o', 'x', 'o.is_unpicked')} as taken, coalesce(k.quantity, 0) as packed
     from packed_order o join order_lines x on x.tenant_id = $1 and x.order_id = $2
     left join (
       select b.order_line_id, sum(b.quantity) as quantity
       from shipments n join shipment_lines b on b.tenant_id = $1 and b.record_id = n.id
       where n.tenant_id = $1 and n.order_id = $2 and n.state <> 'cancelled' group by b.order_line_id
     ) k on k.order_line_id = x.id
   ), wanted as materialized (
     select * from unnest($3::int[], $4::bigint[], $5::bigint[], $6::numeric[]) with ordinality w (number, order_line_id, product_id, quantity, position)
   ), room as materialized (
     select l.*, l.taken - l.packed - coalesce(w.quantity, 0) as quantity, w.quantity as wanted
     from order_line l
     left join (select order_line_id, sum(quantity) as quantity from wanted group by order_line_id) w on w.order_line_id = l.id
   ), supply as materialized (
     select id, product_id, quantity, sum(quantity) over (partition by product_id order by id) as upto from room where quantity > 0
   ), demand as materialized (
     select number, position, product_id, quantity, sum(quantity) over (partition by product_id order by position) as upto
     from wanted where product_id is not null
   ), part as materialized (
     select w.number, w.position, r.id as order_line_id, r.product_id, w.quantity from wanted w join room r on r.id = w.order_line_id
     union all
     select d.number, d.position, s.id, s.product_id, least(d.upto, s.upto) - greatest(d.upto - d.quantity, s.upto - s.quantity)
     from demand d join supply s on s.product_id = d.product_id and s.upto > d.upto - d.quantity and s.upto - s.quantity < d.upto
   ), too_much as materialized (
     select id as order_line_id, product_id, wanted, taken, packed from room where quantity < 0
     union all
     -- With what the call has in lines that it names.
     select null, d.product_id, d.quantity + coalesce(sum(l.wanted), 0), coalesce(sum(l.taken), 0), coalesce(sum(l.packed), 0)
     from (
       select product_id, sum(quantity) as quantity,
         coalesce((select sum(s.quantity) from supply s where s.product_id = d.product_id), 0) as room
       from demand d group by product_id
     ) d left join room l using (product_id)
     where d.quantity > d.room group by d.product_id, d.quantity, d.room
     limit 1
   )`

/** The columns of `TooMuch`, for the result of a statement: one row. */
export const TOO_MUCH = 'm.order_line_id, m.product_id, m.wanted, m.taken, m.packed'

/** CTEs that write the packages and `part` for the shipment in the relation `record`: none if it has no row. Result: `new_package`. */
export const packagesFor = (record: string): string => `new_package as (
     insert into shipment_packages (tenant_id, record_id, number, weight, width, height, depth, carrier, tracking_number, tracking_url, label_url)
     select $1, r.id, p.number, p.weight, p.width, p.height, p.depth, p.carrier, p.tracking_number, p.tracking_url, p.label_url
     from ${record} r cross join unnest($7::float8[], $8::float8[], $9::float8[], $10::float8[], $11::text[], $12::text[], $13::text[], $14::text[])
       with ordinality p (weight, width, height, depth, carrier, tracking_number, tracking_url, label_url, number)
     returning number, carrier, tracking_number, tracking_url
   ), new_line as (
     insert into shipment_lines (tenant_id, record_id, package_number, order_line_id, product_id, quantity)
     select $1, r.id, p.number, p.order_line_id, p.product_id, p.quantity from ${record} r cross join part p
     order by p.position, p.order_line_id
   )`
