import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { PICKED, type Range, type Side, type Sizes } from './seed.ts'

/** Fills the baseline's own schema: tenant 1 small, 2 large (only its orders with lines), 3 to be written to. */
export async function seedBare(client: pg.Client, sizes: Sizes): Promise<Side> {
  await client.query(await readFile(new URL('../baseline/schema.sql', import.meta.url), 'utf8'))
  for (const text of statements(sizes)) await client.query(text)
  await client.query('reset search_path')
  return {
    orders: await range(client, 'orders', 2),
    products: await range(client, 'products', 2),
    writtenProducts: await range(client, 'products', 3),
    flows: await range(client, 'flows', 3),
  }
}

async function range(client: pg.Client, table: string, tenant: number): Promise<Range> {
  const { rows } = await client.query(
    `select min(id)::int as first, max(id)::int as last from bare.${table} where tenant_id = ${tenant}`,
  )
  const [{ first, last }] = rows as [{ first: number; last: number }]
  return [first, last]
}

function statements({ products, small, withLines }: Sizes): string[] {
  return [
    `insert into tenants select t, 'tenant ' || t from generate_series(1, 3) t`,
    `insert into locations (tenant_id, code) select t, 'A-' || l from generate_series(1, 3) t, generate_series(1, 5) l`,
    `insert into products (tenant_id, barcode, external_id, name, description, category, price, weight, width, height, depth, photo_url)
     select t, 'B' || lpad(p::text, 8, '0'), 'SKU-' || p, 'Product number ' || p, repeat('lorem ipsum dolor ', 5),
       'category ' || p % 50, (p % 1000) + 0.99, 1.25, 10, 20, 30, 'https://img.example.test/' || p || '.jpg'
     from generate_series(1, 3) t, generate_series(1, ${products}) p`,
    `insert into stock_levels (product_id, location_id, tenant_id, quantity)
     select p.id, l.id, p.tenant_id, 1000000 from products p join locations l on l.tenant_id = p.tenant_id and l.code in ('A-1', 'A-2')`,
    `insert into orders (tenant_id, order_tenant_id, state_id, assembly_date, customer_name, shipping_address, items_count, created_at)
     select t, 'SEED-' || g, (array[1, 1, 3, 5, 5, 5, 5, 7])[1 + g % 8], current_date + g % 10, 'Customer ' || g, g || ' Some Street, Some City', 3,
       now() - (n - g) * interval '60 seconds'
     from (values (1, ${small}), (2, ${withLines})) v(t, n), generate_series(1, n) g`,
    `insert into order_lines (order_id, product_id, barcode, quantity, price)
     select o.id, p.id, p.barcode, 1 + k, p.price
     from orders o cross join generate_series(1, 3) k
     join products p on p.tenant_id = o.tenant_id and p.barcode = 'B' || lpad((1 + (o.id * 7 + k * 131) % ${products})::text, 8, '0')`,
    `insert into orders (tenant_id, order_tenant_id, state_id, state_picking_id, assembly_date, items_count)
     select 3, 'PICKED-' || g, 3, 1, current_date, ${PICKED.lines} from generate_series(1, ${PICKED.orders}) g order by g`,
    `insert into order_lines (order_id, product_id, barcode, quantity)
     select o.id, p.id, p.barcode, ${PICKED.quantity}
     from (select id, row_number() over (order by id) - 1 as number from orders where tenant_id = 3) o
     cross join generate_series(0, ${PICKED.lines - 1}) l
     join products p on p.tenant_id = 3 and p.barcode = 'B' || lpad((1 + (o.number * ${PICKED.lines} + l) % ${products})::text, 8, '0')
     order by o.id, l`,
    `insert into flows (tenant_id, order_id) select 3, id from orders where tenant_id = 3 order by id`,
  ]
}
