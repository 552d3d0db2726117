import pg from 'pg'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { insertApiKey } from '@fulfillment/server/domain/api-keys/index.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import type { BenchDatabase } from '../seed/bench-database.ts'
import type { Range, SeededTenant } from '../seed/seed.ts'

/** What a tenant has besides a default warehouse and a location. */
export interface Filling {
  /** With the barcodes of `barcodeOf`, from 1 on, and this much stock each. */
  products: number
  stock: number
  /** Of three lines, in the state 1. */
  openOrders?: number
}

export interface FilledTenant extends SeededTenant {
  products: Range
}

/** The tenant with this name and filling. It is filled once, and found again by later runs; its orders and its policy stay as they were left. */
export async function filledTenant({ url }: BenchDatabase, name: string, filling: Filling): Promise<FilledTenant> {
  const db = openDatabase(url, { exclusiveConnections: 2, pipelinedConnections: 1 })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const fullName = `${name} ${JSON.stringify(filling)}`
    const { rows: known } = await client.query<{ id: number }>('select id::int from tenants where name = $1', [fullName])
    const id = known[0]?.id ?? (await createTenant(db, fullName)).id
    if (known.length === 0) await fill(client, id, filling)
    const { key } = await insertApiKey(db, id, 'live', { name: 'benchmark', scopes: ['admin'] })
    const { rows } = await client.query('select min(id)::int as first, max(id)::int as last from products where tenant_id = $1', [
      id,
    ])
    const [{ first, last }] = rows as [{ first: number; last: number }]
    return { id, key, products: [first, last] }
  } finally {
    await client.end()
    await db.close()
  }
}

async function fill(client: pg.Client, id: number, { products, stock, openOrders = 0 }: Filling): Promise<void> {
  const warehouse = `(select id from warehouses where tenant_id = ${id})`
  // The generated rows satisfy the foreign keys, so Postgres need not check each.
  await client.query('begin; set local session_replication_role = replica')
  for (const text of [
    `insert into locations (tenant_id, id, code, warehouse_id) values (${id}, 'A-1', 'A-1', ${warehouse})`,
    `insert into products (tenant_id, barcode, external_id, name, price)
     select ${id}, 'B' || lpad(p::text, 8, '0'), 'SKU-' || p, 'Product number ' || p, 9.99 from generate_series(1, ${products}) p`,
    `insert into product_totals (tenant_id, is_active, count) values (${id}, true, ${products})`,
    `insert into stock_levels (tenant_id, product_id, location_id, warehouse_id, quantity)
     select ${id}, id, 'A-1', ${warehouse}, ${stock} from products where tenant_id = ${id}`,
    `insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity)
     select ${id}, id, ${warehouse}, ${stock} from products where tenant_id = ${id}`,
    `insert into stocked_totals (tenant_id, warehouse_id, count) values (${id}, ${warehouse}, ${products})`,
    `insert into orders (tenant_id, order_tenant_id, state_id, assembly_date, warehouse_id, items_count, total_quantity)
     select ${id}, 'SEED-' || g, 1, date '2026-12-01' + g % 30, ${warehouse}, 3, 6 from generate_series(1, ${openOrders}) g order by g`,
    `insert into order_totals (tenant_id, state_id, count) select ${id}, 1, ${openOrders} where ${openOrders} > 0`,
    // Of a tenant that is not in the statistics yet, Postgres would read all products again for every line.
    'analyze products, orders',
    `insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity)
     select ${id}, o.id, p.id, p.barcode, p.name, k from orders o cross join generate_series(1, 3) k
     join products p on p.tenant_id = ${id} and p.barcode = 'B' || lpad((1 + (o.id * 7 + k * 131) % ${products})::text, 8, '0')
     where o.tenant_id = ${id}`,
    'commit',
  ])
    await client.query(text)
  await client.query('vacuum analyze')
}
