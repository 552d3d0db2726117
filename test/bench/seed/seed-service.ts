import type pg from 'pg'
import { insertApiKey } from '../../../server/src/api-keys/index.ts'
import type { Database } from '../../../server/src/database/database.ts'
import { createTenant } from '../../../server/src/tenants/index.ts'
import type { Range, Seed, SeededTenant, Sizes } from './seed.ts'

/** Orders and movements of a tenant are spread over so many days, and as many assembly dates. */
const DAYS = { small: 10, large: 730 }

/** Fills our schema: a small and a large tenant to be read, and one to be written to. */
export async function seedService(db: Database, client: pg.Client, sizes: Sizes): Promise<Seed['service']> {
  const small = await seedTenant(db, client, sizes)
  const large = await seedTenant(db, client, sizes)
  const written = await seedTenant(db, client, sizes)
  for (const { id, orders, days, withLines } of [
    { id: small.id, orders: sizes.small, days: DAYS.small, withLines: sizes.small },
    { id: large.id, orders: sizes.large, days: DAYS.large, withLines: sizes.withLines },
  ]) {
    for (const text of [
      ...orderStatements(id, sizes.products, orders, days, withLines),
      ...movementStatements(id, sizes.products, orders, days),
    ]) {
      await client.query(text)
    }
  }
  const [, last] = await range(client, 'orders', large.id)
  const [firstSmall] = await range(client, 'products', small.id)
  const [firstLarge] = await range(client, 'products', large.id)
  return {
    small,
    large,
    written,
    firstProduct: { small: firstSmall, large: firstLarge },
    orders: [last - sizes.withLines + 1, last],
    products: await range(client, 'products', large.id),
    writtenProducts: await range(client, 'products', written.id),
  }
}

async function range(client: pg.Client, table: string, tenantId: number): Promise<Range> {
  const { rows } = await client.query(
    `select min(id)::int as first, max(id)::int as last from ${table} where tenant_id = ${tenantId}`,
  )
  const [{ first, last }] = rows as [{ first: number; last: number }]
  return [first, last]
}

async function seedTenant(db: Database, client: pg.Client, { products }: Sizes): Promise<SeededTenant> {
  const { id } = await createTenant(db, 'benchmark')
  const { key } = await insertApiKey(db, id, 'live', { name: 'benchmark', scopes: ['admin'] })
  const warehouse = `(select id from warehouses where tenant_id = ${id} and is_default)`
  await client.query(`
    insert into locations (tenant_id, id, code, warehouse_id) select ${id}, 'A-' || l, 'A-' || l, ${warehouse} from generate_series(1, 5) l`)
  await client.query(`
    insert into products (tenant_id, barcode, external_id, name, description, category, price, weight, width, height, depth, photo_url)
    select ${id}, 'B' || lpad(p::text, 8, '0'), 'SKU-' || p, 'Product number ' || p, repeat('lorem ipsum dolor ', 5),
      'category ' || p % 50, (p % 1000) + 0.99, 1.25, 10, 20, 30, 'https://img.example.test/' || p || '.jpg'
    from generate_series(1, ${products}) p`)
  await client.query(`
    insert into stock_levels (tenant_id, product_id, location_id, warehouse_id, quantity)
    select ${id}, p.id, l.id, l.warehouse_id, 1000000 from products p join locations l on l.tenant_id = p.tenant_id and l.id in ('A-1', 'A-2')
    where p.tenant_id = ${id}`)
  await client.query(`
    insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity)
    select tenant_id, product_id, warehouse_id, sum(quantity) from stock_levels where tenant_id = ${id} group by 1, 2, 3`)
  return { id, key }
}

/** The numbers of a table's rows, from 1 in the order of time: row g of n was made on the day that lies (n - g) / n of the days back. */
const createdAt = (count: number, days: number): string =>
  `now() - (${count} - g) * interval '${(days * 86_400) / count} seconds'`

function orderStatements(id: number, products: number, count: number, days: number, withLines: number): string[] {
  return [
    `insert into orders (tenant_id, order_tenant_id, state_id, assembly_date, customer_name, shipping_address, warehouse_id, items_count,
       total_quantity, created_at, updated_at)
     select ${id}, 'SEED-' || g, (array[1, 1, 3, 5, 5, 5, 5, 7])[1 + g % 8], (${createdAt(count, days)})::date + g % 10, 'Customer ' || g,
       g || ' Some Street, Some City', w.id, 3, 9, ${createdAt(count, days)}, ${createdAt(count, days)}
     from generate_series(1, ${count}) g, warehouses w where w.tenant_id = ${id} and w.is_default order by g`,
    `insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity, price)
     select ${id}, o.id, p.id, p.barcode, p.name, 1 + k, p.price
     from (select id from orders where tenant_id = ${id} order by id desc limit ${withLines}) o cross join generate_series(1, 3) k
     join products p on p.tenant_id = ${id} and p.barcode = 'B' || lpad((1 + (o.id * 7 + k * 131) % ${products})::text, 8, '0')`,
    `insert into order_totals (tenant_id, state_id, count) select tenant_id, state_id, count(*) from orders where tenant_id = ${id} group by 1, 2`,
    `insert into order_counts (tenant_id, created_day, state_id, count)
     select tenant_id, (created_at at time zone 'UTC')::date, state_id, count(*) from orders where tenant_id = ${id} group by 1, 2, 3`,
    `insert into order_month_counts (tenant_id, created_month, state_id, count)
     select tenant_id, date_trunc('month', created_day::timestamp)::date, state_id, sum(count) from order_counts where tenant_id = ${id} group by 1, 2, 3`,
    `insert into order_assembly_counts (tenant_id, assembly_date, created_day, state_id, count)
     select tenant_id, assembly_date, (created_at at time zone 'UTC')::date, state_id, count(*) from orders where tenant_id = ${id} group by 1, 2, 3, 4`,
  ]
}

/** A product has a hundred movements in either tenant, so that a page by product is as long. */
function movementStatements(id: number, products: number, count: number, days: number): string[] {
  const counted = (table: string, columns: string): string =>
    `insert into ${table} (tenant_id, created_day, ${columns}, count)
     select tenant_id, (created_at at time zone 'UTC')::date, ${columns}, count(*) from stock_movements where tenant_id = ${id}
     group by tenant_id, 2, ${columns}`
  const countedByMonth = (table: string, daily: string, columns: string): string =>
    `insert into ${table} (tenant_id, created_month, ${columns}, count)
     select tenant_id, date_trunc('month', created_day::timestamp)::date, ${columns}, sum(count) from ${daily} where tenant_id = ${id}
     group by tenant_id, 2, ${columns}`
  return [
    `insert into stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, reason, created_at)
     select ${id}, p.first + g % ${Math.min(products, Math.ceil(count / 100))}, 'A-' || 1 + g % 5, (array['IN', 'OUT', 'ADJUSTMENT', 'TRANSFER'])[1 + g / 7 % 4],
       1, 10, 11, 'seed', ${createdAt(count, days)}
     from generate_series(1, ${count}) g, (select min(id) as first from products where tenant_id = ${id}) p order by g`,
    counted('movement_counts', 'movement_type'),
    counted('movement_product_counts', 'product_id, location_id, movement_type'),
    counted('movement_location_counts', 'location_id, movement_type'),
    countedByMonth('movement_month_counts', 'movement_counts', 'movement_type'),
    countedByMonth('movement_product_month_counts', 'movement_product_counts', 'product_id, location_id, movement_type'),
    countedByMonth('movement_location_month_counts', 'movement_location_counts', 'location_id, movement_type'),
  ]
}
