import pg from 'pg'
import { describe, expect } from 'vitest'
import { analyzeGrownTables } from '@fulfillment/server/database/analyze-grown-tables.ts'
import type { RequestContext } from '@fulfillment/server/procedures/context.ts'
import { closeInbound } from '@fulfillment/server/domain/inbound/close-inbound.ts'
import { createInbound } from '@fulfillment/server/domain/inbound/create-inbound.ts'
import { getInbound } from '@fulfillment/server/domain/inbound/get-inbound.ts'
import { receiveInbound } from '@fulfillment/server/domain/inbound/receive-inbound.ts'
import { undoInboundReceipt } from '@fulfillment/server/domain/inbound/undo-inbound-receipt.ts'
import { cancelOrder } from '@fulfillment/server/domain/orders/cancel-order.ts'
import { createOrders } from '@fulfillment/server/domain/orders/create-orders.ts'
import { getOrder } from '@fulfillment/server/domain/orders/get-order.ts'
import { updateOrder } from '@fulfillment/server/domain/orders/update-order.ts'
import { getFlow } from '@fulfillment/server/domain/picking/get-flow.ts'
import { recordPick } from '@fulfillment/server/domain/picking/record-pick.ts'
import { startFlow } from '@fulfillment/server/domain/picking/start-flow.ts'
import { bulkUpsertProducts } from '@fulfillment/server/domain/products/bulk-upsert-products.ts'
import { createProduct } from '@fulfillment/server/domain/products/create-product.ts'
import { getProductBySku } from '@fulfillment/server/domain/products/get-product-by-sku.ts'
import { getProduct } from '@fulfillment/server/domain/products/get-product.ts'
import { updateProduct } from '@fulfillment/server/domain/products/update-product.ts'
import { createReturn } from '@fulfillment/server/domain/returns/create-return.ts'
import { receiveReturn } from '@fulfillment/server/domain/returns/receive-return.ts'
import { addEntry } from '@fulfillment/server/domain/stock-counts/add-entry.ts'
import { approveCount } from '@fulfillment/server/domain/stock-counts/approve-count.ts'
import { createCount } from '@fulfillment/server/domain/stock-counts/create-count.ts'
import { getCount } from '@fulfillment/server/domain/stock-counts/get-count.ts'
import { adjustStock } from '@fulfillment/server/domain/stock/adjust-stock.ts'
import { bulkSetLevels } from '@fulfillment/server/domain/stock/bulk-set-levels.ts'
import { getStockBySku } from '@fulfillment/server/domain/stock/get-stock-by-sku.ts'
import { setLevel } from '@fulfillment/server/domain/stock/set-level.ts'
import { transferStock } from '@fulfillment/server/domain/stock/transfer-stock.ts'
import { barcodeOf } from '../bench/load/requests.ts'
import { seedService } from '../bench/seed/seed-service.ts'
import type { Seed } from '../bench/seed/seed.ts'
import type { Recorder } from './explain.ts'
import { it as base } from './it.ts'

/** When the plans are made, and when they are used. */
const FEW = { products: 20, small: 10, large: 20, withLines: 10 }
const MANY = { products: 5_000, small: 10, large: 5_000, withLines: 1_000 }
const BULK = 100

/** A tenant with products and orders, and one with picking flows. */
interface Written {
  context: RequestContext
  flows: RequestContext
  productId: number
  /** Pending, with lines. */
  orderId: number
  flowId: number
  /** A delivery and a return of three lines with a receipt `r`, and a count of three lines in review. */
  recordId: number
  recordProduct: number
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

/** Calls, with the most rows that each may read, by table. */
const CALLS: [name: string, call: (written: Written) => Promise<unknown>, most: Partial<Record<string, number>>][] = [
  ['a product', (written) => getProduct.run(written.context, { id: written.productId }), { products: 1, stock_levels: 2 }],
  ['a product by SKU', ({ context }) => getProductBySku.run(context, { sku: 'SKU-7' }), { products: 2, stock_levels: 2 }],
  ['a new product', ({ context }) => createProduct.run(context, { name: 'New', barcode: 'new', sku: 'NEW' }), { products: 2 }],
  [
    'another SKU of a product',
    (written) => updateProduct.run(written.context, { id: written.productId, sku: 'OTHER' }),
    { products: 4 },
  ],
  [
    'new products in bulk',
    ({ context }) =>
      bulkUpsertProducts.run(context, {
        products: numbers(BULK).map((number) => ({ barcode: `NEW-${number}`, sku: `NEW-${number}`, name: 'New' })),
      }),
    { products: 0 },
  ],
  [
    'products in bulk, with other SKUs',
    ({ context }) =>
      bulkUpsertProducts.run(context, {
        products: numbers(BULK).map((number) => ({ barcode: barcodeOf(number), sku: `OTHER-${number}`, price: 2 })),
      }),
    { products: 6 * BULK },
  ],
  [
    'an adjustment',
    (written) => adjustStock.run(written.context, { product_id: written.productId, location_id: 'A-1', adjustment_quantity: -1 }),
    { products: 3, stock_levels: 2 },
  ],
  [
    'a set level',
    (written) => setLevel.run(written.context, { productId: written.productId, location_id: 'A-1', quantity: 5 }),
    { products: 3, stock_levels: 2 },
  ],
  [
    'set levels in bulk',
    (written) =>
      bulkSetLevels.run(written.context, {
        updates: numbers(BULK).map((number) => ({
          product_id: written.productId + (number % FEW.products),
          location_id: 'A-1',
          quantity: number,
        })),
      }),
    { products: 4 * BULK, stock_levels: 2 * BULK },
  ],
  [
    'a transfer',
    (written) =>
      transferStock.run(written.context, {
        product_id: written.productId,
        from_location_id: 'A-1',
        to_location_id: 'A-2',
        quantity: 1,
      }),
    { products: 4, stock_levels: 4 },
  ],
  ['stock by SKU', ({ context }) => getStockBySku.run(context, { sku: 'SKU-7' }), { products: 2, stock_levels: 2 }],
  [
    'a new order',
    ({ context }) =>
      createOrders.run(context, {
        orders: [
          {
            order_tenant_id: 'new',
            assembly_date: '2026-12-01',
            order_detail: [1, 2, 3].map((number) => ({ barcode: barcodeOf(number), quantity: 1 })),
          },
        ],
      }),
    { products: 3, orders: 1 },
  ],
  ['an order', (written) => getOrder.run(written.context, { id: written.orderId }), { orders: 1, order_lines: 3 }],
  [
    'the state of an order',
    (written) => updateOrder.run(written.context, { id: written.orderId, state_id: 2 }),
    { orders: 4, order_lines: 3 },
  ],
  [
    'the end of an order',
    (written) => cancelOrder.run(written.context, { id: String(written.orderId) }),
    { orders: 6, order_lines: 3 },
  ],
  [
    'a new picking flow',
    ({ context, orderId }) => startFlow.run(context, { order_id: orderId, operator_email: 'ada@example.com' }),
    { orders: 4, order_lines: 9, picking_flows: 2 },
  ],
  [
    'a picking flow',
    ({ flows, flowId }) => getFlow.run(flows, { id: flowId }),
    { orders: 1, order_lines: 20, stock_levels: 40, picking_flows: 1 },
  ],
  [
    'a pick',
    ({ flows, flowId }) => recordPick.run(flows, { id: flowId, barcode: barcodeOf(3), location_id: 'A-1', quantity: 1 }),
    { products: 4, orders: 2, order_lines: 40, stock_levels: 2, picking_flows: 4 },
  ],
]

/** A receipt of goods, besides what every change of stock reads. */
const RECEIVED = { products: 8, stock_levels: 2, inbound: 3, inbound_lines: 5, inbound_receipts: 1 }
CALLS.push(
  [
    'a delivery',
    ({ flows, recordProduct: product_id }) =>
      createInbound.run(flows, { reference: 'new', lines: numbers(3).map((quantity) => ({ product_id, quantity })) }),
    { products: 9, inbound: 2, inbound_lines: 3 },
  ],
  ['a known delivery', ({ flows, recordId: id }) => getInbound.run(flows, { id }), { products: 3, inbound: 1, inbound_lines: 3 }],
  [
    'a receipt',
    ({ flows, recordId: id, recordProduct: product_id }) =>
      receiveInbound.run(flows, { id, product_id, quantity: 1, location_id: 'A-1', receipt_id: 'new' }),
    RECEIVED,
  ],
  [
    'an undone receipt',
    ({ flows, recordId: id }) => undoInboundReceipt.run(flows, { id, receipt_id: 'r' }),
    { ...RECEIVED, inbound_lines: 7, inbound_receipts: 2 },
  ],
  [
    'a closed delivery',
    ({ flows, recordId: id }) => closeInbound.run(flows, { id }),
    { products: 3, inbound: 3, inbound_lines: 6 },
  ],
  [
    'a return',
    ({ flows, recordProduct: product_id }) => createReturn.run(flows, { lines: [{ product_id, quantity: 1 }] }),
    { products: 9, returns: 2, return_lines: 1 },
  ],
  [
    'goods that come back',
    ({ flows, recordId: id, recordProduct: product_id }) =>
      receiveReturn.run(flows, { id, product_id, quantity: 1, disposition: 'restock', location_id: 'A-1' }),
    { products: 8, stock_levels: 2, returns: 3, return_lines: 5, return_receipts: 1 },
  ],
  [
    'a count',
    ({ flows, recordProduct: id }) => createCount.run(flows, { product_ids: [id, id + 1, id + 2], location_ids: ['A-1'] }),
    { products: 6, stock_levels: 12, stock_counts: 2, stock_count_lines: 3 },
  ],
  [
    'a known count',
    ({ flows, recordId: id }) => getCount.run(flows, { id }),
    { products: 3, stock_counts: 1, stock_count_lines: 3 },
  ],
  [
    'an entry of a count',
    ({ flows, recordId: id, recordProduct: product_id }) =>
      addEntry.run(flows, { id: id + 1, product_id, location_id: 'A-1', quantity: 5 }),
    { products: 2, stock_levels: 2, stock_counts: 3, stock_count_lines: 2, stock_count_entries: 1 },
  ],
  [
    'an approval',
    ({ flows, recordId: id }) => approveCount.run(flows, { id }),
    { products: 9, stock_levels: 12, stock_counts: 4, stock_count_lines: 18 },
  ],
)

const TABLES = [
  'inbound',
  'inbound_lines',
  'inbound_receipts',
  'returns',
  'return_lines',
  'return_receipts',
  'stock_counts',
  'stock_count_lines',
  'stock_count_entries',
  'products',
  'orders',
  'order_lines',
  'stock_levels',
  'picking_flows',
  'picks',
  'stock_movements',
  'warehouse_stock',
]

/**
 * `it` with the tenants to write to, in a database that has grown since the plans were made. A server keeps its plans, too.
 */
const it = base.extend('written', { scope: 'file' }, async ({ database, client, recorder }) => {
  const seeding = new pg.Client({ connectionString: database.url })
  await seeding.connect()
  await seeding.query('set session_replication_role = replica')
  // An analysis would make the plans anew.
  const { rows } = await seeding.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of rows) await seeding.query(`alter table ${name} set (autovacuum_enabled = false)`)
  const seeded = async (sizes: typeof FEW): Promise<Written> =>
    withRecords(seeding, sizes, await writtenOf(client, recorder, await seedService(database.db, seeding, sizes)))
  const few = await seeded(FEW)
  for (const [, call] of CALLS) await recorder.keepPlansOf(() => call(few))
  const many = await seeded(MANY)
  await seeding.end()
  await analyzeGrownTables(database.db)
  return many
})

async function writtenOf(
  client: pg.Client,
  recorder: Recorder,
  { large, written, products, flows }: Seed['service'],
): Promise<Omit<Written, 'recordId' | 'recordProduct'>> {
  const contextOf = async (tenantId: number): Promise<RequestContext> => {
    const { rows } = await client.query('select id::int, name from warehouses where tenant_id = $1 and is_default', [tenantId])
    return recorder.contextOf({ tenantId, defaultWarehouse: rows[0] as { id: number; name: string }, keyName: 'test' })
  }
  const { rows } = await client.query<{ id: number }>(
    `select max(id)::int as id from orders where tenant_id = ${large.id} and state_id = 1`,
  )
  return {
    context: await contextOf(large.id),
    flows: await contextOf(written.id),
    productId: products[0],
    orderId: rows[0]!.id,
    flowId: flows[0],
  }
}

/** As many deliveries, returns and counts as the tenant of the flows has products, with the same ids. The first of each can be written to. */
async function withRecords(
  seeding: pg.Client,
  { products }: typeof FEW,
  written: Omit<Written, 'recordId' | 'recordProduct'>,
): Promise<Written> {
  const { tenantId, defaultWarehouse } = written.flows.caller
  const { rows } = await seeding.query<{ first: number }>(
    `select min(id)::int as first from products where tenant_id = ${tenantId}`,
  )
  const first = rows[0]!.first
  const common = 'tenant_id, id, sent_hash, content_hash, warehouse_id, created_by'
  const values = `${tenantId}, n, '', '', ${defaultWarehouse.id}, 'test'`
  const each = `from generate_series(1, ${products}) n`
  const product = `${first} + (n * 3 + l) % ${products}`
  for (const [records, lines, receipts, ofLine, ofReceipt] of [
    ['inbound', 'inbound_lines', 'inbound_receipts', ['warehouse_id', defaultWarehouse.id], ['operator_id', 7]],
    ['returns', 'return_lines', 'return_receipts', ['restocked', 1], ['disposition', `'restock'`]],
  ] as const)
    await seeding.query(`
      insert into ${records} (${common}, state, allow_over, total_quantity, line_count) overriding system value
      select ${values}, 'receiving', false, 30, 3 ${each};
      insert into ${lines} (tenant_id, record_id, product_id, quantity, received, ${ofLine[0]})
      select ${tenantId}, n, ${product}, 10, 1, ${ofLine[1]} ${each} cross join generate_series(0, 2) l;
      insert into ${receipts} (tenant_id, record_id, id, product_id, location_id, quantity, sent_name, lines, movement_id, created_at, ${ofReceipt[0]})
      select ${tenantId}, record_id, 'r', product_id, 'A-1', 1, '', json_build_array(json_build_object('line_id', min(id), 'quantity', 1)), 1, now(), ${ofReceipt[1]}
      from ${lines} where tenant_id = ${tenantId} and product_id = ${first} + (record_id * 3) % ${products} group by record_id, product_id`)
  await seeding.query(`
    insert into stock_counts (${common}, state, blind, lines_total) overriding system value
    select ${values}, case when n % 2 = 1 then 'review' else 'counting' end, false, 3 ${each};
    insert into stock_count_lines (tenant_id, record_id, product_id, location_id, counted, expected, counted_at, counted_before)
    select ${tenantId}, n, ${product}, 'A-1', 5, 5, now(), 0 ${each} cross join generate_series(0, 2) l`)
  for (const table of ['inbound', 'returns', 'stock_counts'])
    await seeding.query(`alter table ${table} alter id restart with 1000000`)
  return { ...written, recordId: 1, recordProduct: first + 3 }
}

describe('a plan that was made when the database was almost empty is replaced when tables have grown', () => {
  it.for(CALLS)('%s', async ([, call, most], { recorder, written }) => {
    const { rows, whole } = await recorder.readsOf(() => call(written))
    const tooMany = TABLES.filter((table) => (rows[table] ?? 0) > (most[table] ?? 0))
    expect(tooMany.map((table) => [table, rows[table], most[table] ?? 0])).toEqual([])
    expect(whole.filter((table) => TABLES.includes(table))).toEqual([])
  })
})
