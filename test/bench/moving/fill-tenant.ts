import type pg from 'pg'

/** Products of the tenant. */
const PRODUCTS = 10_000
const DAYS = 730

/** Built after the table is filled, which takes a tenth of the time. */
const SEARCH_INDEX = 'orders_by_customer_name'

/** Fills a tenant: orders with three lines each, a movement and an event for each of them, over two years; events of the last six hours. */
export async function fillTenant(client: pg.Client, id: number, orders: number): Promise<void> {
  // The generated rows satisfy the foreign keys, so Postgres need not check each.
  await client.query('set session_replication_role = replica; set synchronous_commit = off')
  const { rows } = await client.query(`select pg_get_indexdef('${SEARCH_INDEX}'::regclass) as definition`)
  await client.query(`drop index ${SEARCH_INDEX}`)
  for (const text of statements(id, orders)) await client.query(text)
  await client.query(rows[0].definition)
  await client.query('vacuum (analyze)')
}

function statements(id: number, orders: number): string[] {
  const at = `now() - (${orders} - g) * interval '${(DAYS * 86_400) / orders} seconds'`
  return [
    `insert into locations (tenant_id, id, code, warehouse_id) select ${id}, 'A-1', 'A-1', w.id from warehouses w where w.tenant_id = ${id} and w.is_default`,
    `insert into products (tenant_id, barcode, external_id, name, price)
     select ${id}, 'B' || p, 'SKU-' || p, 'Product number ' || p, p % 1000 from generate_series(1, ${PRODUCTS}) p`,
    `insert into stock_levels (tenant_id, product_id, location_id, warehouse_id, quantity)
     select ${id}, p.id, l.id, l.warehouse_id, 1000000 from products p join locations l on l.tenant_id = p.tenant_id where p.tenant_id = ${id}`,
    `insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity)
     select tenant_id, product_id, warehouse_id, quantity from stock_levels where tenant_id = ${id}`,
    `insert into orders (tenant_id, order_tenant_id, state_id, assembly_date, customer_name, shipping_address, warehouse_id, items_count, total_quantity, created_at, updated_at)
     select ${id}, 'SEED-' || g, 1, (${at})::date, 'Customer ' || md5('c' || g % 100000), g || ' Some Street, Some City', w.id, 3, 3, ${at}, ${at}
     from generate_series(1, ${orders}) g, warehouses w where w.tenant_id = ${id} and w.is_default order by g`,
    `insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity, price)
     select ${id}, o.id, p.first + (o.id * 7 + k * 131) % ${PRODUCTS}, 'B' || k, 'Product number ' || k, 1, 9.99
     from orders o cross join generate_series(1, 3) k, (select min(id) as first from products where tenant_id = ${id}) p where o.tenant_id = ${id}`,
    `insert into order_counts (tenant_id, created_day, state_id, count)
     select tenant_id, (created_at at time zone 'UTC')::date, state_id, count(*) from orders where tenant_id = ${id} group by 1, 2, 3`,
    `insert into stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, reason, created_at)
     select ${id}, p.first + g % ${PRODUCTS}, 'A-1', 'IN', 1, 10, 11, 'seed', ${at}
     from generate_series(1, ${orders}) g, (select min(id) as first from products where tenant_id = ${id}) p order by g`,
    `insert into events (tenant_id, id, topic, created_at, body)
     select ${id}, id, 'order/created', at, '{"id":"' || id || '","event":"order/created","created_at":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ||
       '","data":{"order_id":1,"order_tenant_id":"SEED-1","state_id":1,"items_count":3,"total_quantity":3}}'
     from (select 'evt_1' || lpad(to_hex(nextval('event_sequence')), 23, '0') as id, now() - (${orders} - g) * interval '6 hours' / ${orders} as at
       from generate_series(1, ${orders}) g) e`,
  ]
}
