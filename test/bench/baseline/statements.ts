// One statement per request, as an expert in Postgres would write it: the minimum cost of a request.

export const GET_ORDER = `
select json_build_object('id', o.id, 'order_tenant_id', o.order_tenant_id, 'state_id', o.state_id, 'state_picking_id', o.state_picking_id,
  'assembly_date', o.assembly_date, 'customer_name', o.customer_name, 'shipping_address', o.shipping_address,
  'order_detail', (select coalesce(json_agg(json_build_object('id', l.id, 'product_id', l.product_id, 'barcode', l.barcode,
     'product_name', p.name, 'quantity', l.quantity, 'picked_quantity', l.picked_quantity, 'price', l.price) order by l.id), '[]'::json)
     from bare.order_lines l join bare.products p on p.id = l.product_id where l.order_id = o.id),
  'created_at', o.created_at, 'updated_at', o.updated_at)::text as json
from bare.orders o where o.id = $1 and o.tenant_id = $2`

export const GET_PRODUCT = `
select json_build_object('id', p.id, 'barcode', p.barcode, 'external_id', p.external_id, 'name', p.name, 'description', p.description,
  'category', p.category, 'price', p.price, 'weight', p.weight, 'width', p.width, 'height', p.height, 'depth', p.depth,
  'sales_unit', p.sales_unit, 'weighable', p.weighable, 'photo_url', p.photo_url, 'is_active', p.is_active,
  'stock', (select coalesce(json_agg(json_build_object('location_id', s.location_id::text, 'location_code', l.code, 'quantity', s.quantity)), '[]'::json)
     from bare.stock_levels s join bare.locations l on l.id = s.location_id where s.product_id = p.id),
  'created_at', p.created_at, 'updated_at', p.updated_at)::text as json
from bare.products p where p.id = $1 and p.tenant_id = $2`

export const LIST_ORDERS = `
select (select count(*)::int from bare.orders where tenant_id = $1) as total,
 (select json_agg(r)::text from (select o.id, o.order_tenant_id, o.state_id,
   case o.state_id when 1 then 'Pending' when 3 then 'In Progress' when 5 then 'Completed' else 'Cancelled' end as state_name,
   o.assembly_date, o.customer_name, o.items_count, o.created_at, o.updated_at
   from bare.orders o where o.tenant_id = $1 order by o.id desc limit $2 offset $3) r) as json`

export const CREATE_ORDER = `
with input as (
  select * from unnest($6::text[], $7::int[], $8::numeric[]) with ordinality as t(barcode, quantity, price, pos)
), p as (
  select i.*, pr.id as product_id from input i join bare.products pr on pr.tenant_id = $1 and pr.barcode = i.barcode
), o as (
  insert into bare.orders (tenant_id, order_tenant_id, assembly_date, customer_name, shipping_address, items_count)
  select $1, $2, $3::date, $4, $5, count(*) from p having count(*) = cardinality($6::text[])
  on conflict (tenant_id, order_tenant_id) do nothing
  returning id, order_tenant_id, state_id, items_count, created_at
), l as (
  insert into bare.order_lines (order_id, product_id, barcode, quantity, price)
  select o.id, p.product_id, p.barcode, p.quantity, p.price from o cross join p order by p.pos
), e as (
  insert into bare.outbox_events (tenant_id, topic, payload)
  select $1, 'order/created', jsonb_build_object('order_id', o.id, 'order_tenant_id', o.order_tenant_id, 'state_id', o.state_id,
    'state_name', 'Pending', 'warehouse_id', 1, 'warehouse_name', 'Main', 'items_count', o.items_count,
    'total_quantity', (select sum(quantity) from p), 'source', 'api', 'source_integration', null, 'created_at', o.created_at) from o
)
select o.id, o.order_tenant_id, o.state_id from o`

const STOCK_EVENT = (reason: string) => `jsonb_build_object('product_id', pr.id, 'sku', pr.external_id, 'barcode', pr.barcode,
    'product_name', pr.name, 'warehouse_id', 1, 'warehouse_name', 'Main', 'location_id', s.code, 'quantity', s.new_quantity,
    'previous_quantity', s.previous_quantity, 'change', s.new_quantity - s.previous_quantity, 'reason', ${reason}, 'reference_id', m.id)`

export const ADJUST_STOCK = `
with loc as (select id, code from bare.locations where tenant_id = $1 and code = $3),
pr as (select id, external_id, barcode, name from bare.products where tenant_id = $1 and id = $2),
s as (
  insert into bare.stock_levels as s (product_id, location_id, tenant_id, quantity)
  select pr.id, loc.id, $1, $4::numeric from pr, loc
  on conflict (product_id, location_id) do update set quantity = s.quantity + excluded.quantity, updated_at = now()
  returning s.product_id, s.location_id, (select code from loc) as code, s.quantity as new_quantity, s.quantity - $4::numeric as previous_quantity
), m as (
  insert into bare.stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, reason)
  select $1, product_id, location_id, 'ADJUSTMENT', $4::numeric, previous_quantity, new_quantity, $5 from s returning id
), e as (
  insert into bare.outbox_events (tenant_id, topic, payload) select $1, 'stock/updated', ${STOCK_EVENT('$5::text')} from s, m, pr
)
select s.product_id, s.previous_quantity::float8, s.new_quantity::float8, m.id as movement_id from s, m`

export const SET_STOCK = `
with loc as (select id, code from bare.locations where tenant_id = $1 and code = $3),
pr as (select id, external_id, barcode, name from bare.products where tenant_id = $1 and id = $2),
old as (select s.quantity from bare.stock_levels s, pr, loc where s.product_id = pr.id and s.location_id = loc.id for update of s),
s as (
  insert into bare.stock_levels as s (product_id, location_id, tenant_id, quantity)
  select pr.id, loc.id, $1, $4::numeric from pr, loc left join old on true
  on conflict (product_id, location_id) do update set quantity = excluded.quantity, updated_at = now()
  returning s.product_id, s.location_id, (select code from loc) as code, s.quantity as new_quantity,
    coalesce((select quantity from old), 0) as previous_quantity
), m as (
  insert into bare.stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, reason)
  select $1, product_id, location_id, 'ADJUSTMENT', new_quantity - previous_quantity, previous_quantity, new_quantity, $5 from s returning id
), e as (
  insert into bare.outbox_events (tenant_id, topic, payload) select $1, 'stock/updated', ${STOCK_EVENT(`'inventory_count'`)} from s, m, pr
)
select s.product_id, s.previous_quantity::float8, s.new_quantity::float8, m.id as movement_id from s, m`

export const PICK = `
with loc as (select id, code from bare.locations where tenant_id = $1 and code = $4),
pr as (select id, external_id, barcode, name from bare.products where tenant_id = $1 and barcode = $3),
f as (
  update bare.flows f set picked = picked + $5::numeric where f.tenant_id = $1 and f.id = $2 returning f.id, f.order_id
), line as (
  update bare.order_lines l set picked_quantity = l.picked_quantity + $5::numeric
  from f, pr where l.order_id = f.order_id and l.product_id = pr.id and l.picked_quantity + $5::numeric <= l.quantity
  returning l.id, l.quantity, l.picked_quantity
), s as (
  update bare.stock_levels s set quantity = s.quantity - $5::numeric, updated_at = now()
  from loc, pr, line where s.product_id = pr.id and s.location_id = loc.id
  returning s.product_id, s.location_id, loc.code, s.quantity as new_quantity, s.quantity + $5::numeric as previous_quantity
), m as (
  insert into bare.stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, reason, order_id)
  select $1, s.product_id, s.location_id, 'OUT', $5::numeric, previous_quantity, new_quantity, 'order_fulfillment', f.order_id from s, f
  returning id
), p as (
  insert into bare.picks (flow_id, order_line_id, movement_id, quantity) select f.id, line.id, m.id, $5::numeric from f, line, m returning id, created_at
), e as (
  insert into bare.outbox_events (tenant_id, topic, payload) select $1, 'stock/updated', ${STOCK_EVENT(`'order_fulfillment'`)} from s, m, pr
)
select p.id, s.product_id, line.id as order_detail_id, line.quantity, line.picked_quantity::float8, p.created_at from p, s, line`

export const BULK_PRODUCTS = `
with input as (
  select * from jsonb_to_recordset($2::jsonb) as t(barcode text, sku text, name text, category text, price numeric, weight numeric)
), up as (
  insert into bare.products as p (tenant_id, barcode, external_id, name, category, price, weight)
  select $1, barcode, sku, name, category, price, weight from input order by barcode
  on conflict (tenant_id, barcode) do update set name = excluded.name, external_id = coalesce(excluded.external_id, p.external_id),
    category = coalesce(excluded.category, p.category), price = coalesce(excluded.price, p.price),
    weight = coalesce(excluded.weight, p.weight), updated_at = now()
  returning (xmax = 0) as created, id, external_id, barcode, name, created_at
), e as (
  insert into bare.outbox_events (tenant_id, topic, payload)
  select $1, case when created then 'product/created' else 'product/updated' end,
    jsonb_build_object('product_id', id, 'sku', external_id, 'barcode', barcode, 'name', name, 'at', created_at) from up
)
select count(*) filter (where created)::int as created, count(*) filter (where not created)::int as updated from up`

export const BULK_STOCK = `
with input as (
  select i.product_id, i.quantity, loc.id as location_id, loc.code, pr.external_id, pr.barcode, pr.name
  from jsonb_to_recordset($2::jsonb) as i(product_id bigint, location_id text, quantity numeric)
  join bare.products pr on pr.tenant_id = $1 and pr.id = i.product_id
  join bare.locations loc on loc.tenant_id = $1 and loc.code = i.location_id
), old as (
  select s.product_id, s.location_id, s.quantity from bare.stock_levels s join input using (product_id, location_id)
  order by s.product_id, s.location_id for update of s
), s as (
  insert into bare.stock_levels as s (product_id, location_id, tenant_id, quantity)
  select i.product_id, i.location_id, $1, i.quantity from input i left join old using (product_id, location_id)
  order by i.product_id, i.location_id
  on conflict (product_id, location_id) do update set quantity = excluded.quantity, updated_at = now()
  returning s.product_id, s.location_id, s.quantity as new_quantity
), m as (
  insert into bare.stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, reason)
  select $1, s.product_id, s.location_id, 'ADJUSTMENT', s.new_quantity - coalesce(old.quantity, 0), coalesce(old.quantity, 0), s.new_quantity, null
  from s left join old using (product_id, location_id)
  returning id, product_id, previous_quantity, new_quantity
), e as (
  insert into bare.outbox_events (tenant_id, topic, payload)
  select $1, 'stock/updated', jsonb_build_object('product_id', i.product_id, 'sku', i.external_id, 'barcode', i.barcode, 'product_name', i.name,
    'warehouse_id', 1, 'warehouse_name', 'Main', 'location_id', i.code, 'quantity', m.new_quantity, 'previous_quantity', m.previous_quantity,
    'change', m.new_quantity - m.previous_quantity, 'reason', 'inventory_count', 'reference_id', m.id)
  from m join input i using (product_id)
)
select count(*)::int as success from m`
