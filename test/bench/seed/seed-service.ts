import type pg from 'pg'
import { insertApiKey } from '@fulfillment/server/domain/api-keys/index.ts'
import type { Database } from '@fulfillment/server/database/database.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import { PICKED, type Range, type Seed, type SeededTenant, type Sizes } from './seed.ts'

/** Orders and movements of a tenant are spread over this many days, and this many assembly dates. */
const DAYS = { small: 10, large: 730 }

/** Fills the service's schema: a small and a large tenant to read, and one to write to. */
export async function seedService(db: Database, client: pg.Client, sizes: Sizes): Promise<Seed['service']> {
  const small = await seedTenant(db, client, sizes)
  const large = await seedTenant(db, client, sizes)
  const written = await seedTenant(db, client, sizes)
  const catalog = await seedTenant(db, client, { ...sizes, products: 0 })
  for (const { id, orders, days, withLines } of [
    { id: small.id, orders: sizes.small, days: DAYS.small, withLines: sizes.small },
    { id: large.id, orders: sizes.large, days: DAYS.large, withLines: sizes.withLines },
  ]) {
    for (const text of [
      ...orderStatements(id, sizes.products, orders, days, withLines),
      ...movementStatements(id, sizes.products, orders, days, withLines),
      ...timelineStatements(id, withLines),
    ]) {
      await client.query(text)
    }
  }
  for (const text of [
    ...catalogStatements(catalog.id, sizes.large),
    ...eventStatements(large.id, sizes.large),
    ...reportStatements(large.id, DAYS.large),
  ])
    await client.query(text)
  for (const text of flowStatements(written.id, sizes.products)) await client.query(text)
  const [, last] = await range(client, 'orders', large.id)
  const [firstSmall] = await range(client, 'products', small.id)
  const [firstLarge] = await range(client, 'products', large.id)
  return {
    small,
    large,
    written,
    catalog,
    firstProduct: { small: firstSmall, large: firstLarge },
    orders: [last - sizes.withLines + 1, last],
    products: await range(client, 'products', large.id),
    writtenProducts: await range(client, 'products', written.id),
    flows: await range(client, 'picking_flows', written.id),
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
  await client.query(countProducts(id))
  await client.query(`
    insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity)
    select tenant_id, product_id, warehouse_id, sum(quantity) from stock_levels where tenant_id = ${id} group by 1, 2, 3`)
  await client.query(`
    insert into stocked_totals (tenant_id, warehouse_id, count)
    select tenant_id, warehouse_id, count(*) from warehouse_stock where tenant_id = ${id} group by 1, 2`)
  return { id, key }
}

/** The triggers that count products are disabled while the database is filled. */
const countProducts = (id: number): string =>
  `insert into product_totals (tenant_id, is_active, count) select ${id}, true, count(*) from products where tenant_id = ${id} having count(*) > 0`

const CONSONANTS = 'bcdfghjklmnprstvwz'
const VOWELS = 'aeiou'

/**
 * SQL for a word of this many letters that depends on `g`. Three of its letters are in about as many words as three letters of a real name
 * are in names.
 */
function word(letters: number, salt: string): string {
  const letter = (index: number): string => {
    const from = index % 2 === 0 ? CONSONANTS : VOWELS
    return `substr('${from}', 1 + get_byte(h, ${index}) % ${from.length}, 1)`
  }
  return `(select initcap(${Array.from({ length: letters }, (_, index) => letter(index)).join(' || ')}) from decode(md5('${salt}' || g), 'hex') h)`
}

/** Products without stock, to be searched. */
function catalogStatements(id: number, count: number): string[] {
  return [
    `insert into products (tenant_id, barcode, external_id, name, category, price, created_at)
     select ${id}, lpad((('x' || md5('e' || g))::bit(48)::bigint % 10000000000000)::text, 13, '0'), ${word(4, 's')} || '-' || g % 10000, ${word(8, 'a')} || ' ' || ${word(6, 'b')} || ' ' || g % 500 || ' g',
       'category ' || g % 50, (g % 1000) + 0.99, now() - (${count} - g) * interval '1 second'
     from generate_series(1, ${count}) g on conflict do nothing`,
    countProducts(id),
  ]
}

/** Events of the last six hours. Ten of them have a rare topic. */
function eventStatements(id: number, count: number): string[] {
  return [
    `insert into events (tenant_id, id, topic, created_at, body)
     select ${id}, id, topic, at, '{"id":"' || id || '","event":"' || topic || '","created_at":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ||
       '","data":{"product_id":1,"barcode":"B00000001","sku":"SKU-1","name":"Product number 1","updated_fields":["price"]}}'
     from (select 'evt_1' || lpad(to_hex(nextval('event_sequence')), 23, '0') as id, now() - (${count} - g) * interval '6 hours' / ${count} as at,
       case when g % ${count / 10} = ${count / 20} then 'product/deleted' else 'product/updated' end as topic from generate_series(1, ${count}) g) e`,
  ]
}

/** SQL for the time of row g of n: the rows are spread evenly over these days, the newest last. */
const createdAt = (count: number, days: number): string =>
  `now() - (${count} - g) * interval '${(days * 86_400) / count} seconds'`

function orderStatements(id: number, products: number, count: number, days: number, withLines: number): string[] {
  return [
    `insert into orders (tenant_id, order_tenant_id, state_id, assembly_date, customer_name, shipping_address, warehouse_id, items_count,
       total_quantity, created_at, updated_at)
     select ${id}, 'SEED-' || g, (array[1, 1, 3, 5, 5, 5, 5, 7])[1 + g % 8], (${createdAt(count, days)})::date + g % 10, ${word(5, 'g')} || ' ' || ${word(7, 'f')},
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

/** A product has a hundred movements in both tenants, so that its pages have the same length. Orders with lines share the movements, side by side. */
function movementStatements(id: number, products: number, count: number, days: number, withLines: number): string[] {
  const counted = (table: string, columns: string): string =>
    `insert into ${table} (tenant_id, created_day, ${columns}, count)
     select tenant_id, (created_at at time zone 'UTC')::date, ${columns}, count(*) from stock_movements where tenant_id = ${id}
     group by tenant_id, 2, ${columns}`
  const countedByMonth = (table: string, daily: string, columns: string): string =>
    `insert into ${table} (tenant_id, created_month, ${columns}, count)
     select tenant_id, date_trunc('month', created_day::timestamp)::date, ${columns}, sum(count) from ${daily} where tenant_id = ${id}
     group by tenant_id, 2, ${columns}`
  return [
    `insert into stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, reason, created_at, order_id)
     select ${id}, p.first + g % ${Math.min(products, Math.ceil(count / 100))}, 'A-' || 1 + g % 5, (array['IN', 'OUT', 'ADJUSTMENT', 'TRANSFER'])[1 + g / 7 % 4],
       1, 10, 11, 'seed', ${createdAt(count, days)}, o.last - ${withLines - 1} + (g - 1) * ${withLines}::bigint / ${count}
     from generate_series(1, ${count}) g, (select min(id) as first from products where tenant_id = ${id}) p,
       (select max(id) as last from orders where tenant_id = ${id}) o order by g`,
    counted('movement_counts', 'movement_type'),
    counted('movement_product_counts', 'product_id, location_id, movement_type'),
    counted('movement_location_counts', 'location_id, movement_type'),
    countedByMonth('movement_month_counts', 'movement_counts', 'movement_type'),
    countedByMonth('movement_product_month_counts', 'movement_product_counts', 'product_id, location_id, movement_type'),
    countedByMonth('movement_location_month_counts', 'movement_location_counts', 'location_id, movement_type'),
  ]
}

/** What happened to the orders with lines: each was released, picked and completed, by calls that sent events. */
function timelineStatements(id: number, withLines: number): string[] {
  const orders = `(select id, created_at from orders where tenant_id = ${id} order by id desc limit ${withLines}) o`
  const at = (minutes: string): string => `date_trunc('milliseconds', o.created_at) + ${minutes} * interval '1 minute'`
  return [
    `insert into picking_flows (tenant_id, order_id, state, operator_email, items_to_pick, total_quantity, items_picked, total_quantity_picked, started_at, completed_at)
     select ${id}, o.id, 'completed', 'sam@warehouse.example', 3, 9, 3, 9, ${at('2')}, ${at('4')} from ${orders} order by o.id`,
    `insert into flow_count_changes (tenant_id, state, change) values (${id}, 'completed', ${withLines})`,
    `insert into order_state_changes (tenant_id, order_id, at, state_id, previous_state_id, changed_by)
     select ${id}, o.id, ${at('k')}, (array[2, 3, 5])[k], k, 'ERP' from ${orders} cross join generate_series(1, 3) k order by o.id, k`,
    `insert into order_events (tenant_id, order_id, created_at, event_id, topic)
     select ${id}, o.id, ${at('k')}, 'evt_1' || lpad(to_hex(o.id * 6 + k), 23, '0'),
       (array['order/created', 'order/updated', 'flow/started', 'order/updated', 'flow/completed', 'order/completed'])[k]
     from ${orders} cross join generate_series(1, 6) k order by o.id, k`,
    `insert into order_calls (tenant_id, name, at, id, operation, key_name, address, request_id)
     select ${id}, case when k < 3 then 'order/' || o.id else 'flow/' || f.id end, ${at('k')}, gen_random_uuid(),
       (array['orders.create', 'orders.update', 'flows.pick', 'flows.pick', 'flows.complete'])[k], 'ERP', '203.0.113.7', gen_random_uuid()::text
     from ${orders} join picking_flows f on f.tenant_id = ${id} and f.order_id = o.id cross join generate_series(1, 5) k order by o.id, k`,
  ]
}

/** What reports read: every hour has movements, calls with 2 keys and deliveries of 5 subscriptions, and the hours of work have picks of 20 operators. */
function reportStatements(id: number, days: number): string[] {
  const hours = (count: number): string =>
    `(select date_trunc('hour', now()) - g * interval '1 hour' as at from generate_series(0, ${count * 24 - 1}) g) h`
  const moved = (table: string, columns: string): string =>
    `insert into ${table} (tenant_id, at, ${columns}, quantity)
     select tenant_id, date_trunc('hour', created_at, 'UTC'), ${columns}, sum(new_quantity - previous_quantity)
     from stock_movements where tenant_id = ${id} group by tenant_id, 2, ${columns}`
  const sums = 'picks, units, flows, seconds'
  return [
    moved('movement_product_hours', 'product_id'),
    moved('movement_level_hours', 'product_id, location_id'),
    `insert into movement_hour_days (tenant_id, day, count)
     select tenant_id, created_day, sum(count) from movement_counts where tenant_id = ${id} group by 1, 2`,
    `insert into pick_hours (tenant_id, at, operator_email, ${sums})
     select ${id}, at, 'operator' || o || '@warehouse.example', 60, 90, 12, 3000 from ${hours(days)} cross join generate_series(1, 20) o
     where extract(hour from at at time zone 'UTC') between 6 and 17`,
    `insert into pick_days (tenant_id, day, operator_email, ${sums})
     select tenant_id, (at at time zone 'UTC')::date, operator_email, sum(picks), sum(units), sum(flows), sum(seconds)
     from pick_hours where tenant_id = ${id} group by 1, 2, 3`,
    `insert into delivery_hours (tenant_id, at, subscription_id, succeeded, failed, durations)
     select ${id}, at, s, 500, 5, array(select 25 from generate_series(1, 20)) from ${hours(90)} cross join generate_series(1, 5) s`,
    `insert into usage_hours (tenant_id, at, key_id, operation, requests, client_errors, limited, server_errors)
     select ${id}, at, k, 'operation' || o, 100, 2, 0, 0 from ${hours(90)} cross join generate_series(1, 2) k cross join generate_series(1, 8) o`,
  ]
}

function flowStatements(id: number, products: number): string[] {
  const { orders, lines, quantity } = PICKED
  return [
    `insert into orders (tenant_id, order_tenant_id, state_id, state_picking_id, assembly_date, warehouse_id, items_count, total_quantity)
     select ${id}, 'PICKED-' || g, 3, 1, current_date, w.id, ${lines}, ${lines * quantity}
     from generate_series(1, ${orders}) g, warehouses w where w.tenant_id = ${id} and w.is_default order by g`,
    `insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity)
     select ${id}, o.id, p.id, p.barcode, p.name, ${quantity}
     from (select id, row_number() over (order by id) - 1 as number from orders where tenant_id = ${id} and order_tenant_id like 'PICKED-%') o
     cross join generate_series(0, ${lines - 1}) l
     join products p on p.tenant_id = ${id} and p.barcode = 'B' || lpad((1 + (o.number * ${lines} + l) % ${products})::text, 8, '0')
     order by o.id, l`,
    `insert into picking_flows (tenant_id, order_id, operator_email, items_to_pick, total_quantity)
     select ${id}, o.id, 'sam@warehouse.example', ${lines}, ${lines * quantity}
     from orders o where tenant_id = ${id} and order_tenant_id like 'PICKED-%' order by o.id`,
    `insert into flow_count_changes (tenant_id, state, change) values (${id}, 'started', ${orders})`,
    `insert into order_count_changes (tenant_id, created_day, assembly_date, state_id, change)
     select tenant_id, (created_at at time zone 'UTC')::date, assembly_date, state_id, count(*) from orders
     where tenant_id = ${id} group by 1, 2, 3, 4`,
  ]
}
