import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { ROWS } from './old-database.ts'

/** The results of an old server's requests. */
export interface TrafficResult {
  /** Number of acknowledged orders. */
  orders: number
  /** Number of acknowledged movements of one unit. */
  movements: number
  reads: number
  slowestMs: number
}

/** Without it, the requests take all processor time that there is. */
const PAUSE_MS = 10

type Client = pg.Client
type Counts = Omit<TrafficResult, 'slowestMs'>

/**
 * Reads and writes like the servers of 0.1.0, over several connections, until it is stopped. The statements are copies from version 0.1.0
 * and never change. If a statement fails, `stop` rejects.
 */
export async function startOldTraffic(url: string): Promise<{ stop(): Promise<TrafficResult> }> {
  const result: TrafficResult = { orders: 0, movements: 0, reads: 0, slowestMs: 0 }
  const stopping = new AbortController()
  const work = async (request: (client: Client, counts: Counts, turn: number) => Promise<void>): Promise<void> => {
    const client = new pg.Client({ connectionString: url, options: '-c statement_timeout=15000' })
    await client.connect()
    try {
      for (let turn = 0; !stopping.signal.aborted; turn++) {
        const begun = performance.now()
        await request(client, result, turn)
        result.slowestMs = Math.max(result.slowestMs, performance.now() - begun)
        await delay(PAUSE_MS)
      }
    } finally {
      await client.end()
    }
  }
  const running = Promise.all([work(createOrder), work(addStock), work(readOrders), work(readStock)])
  // `stop` reports a failure. Until then it must not be an unhandled rejection.
  running.catch(() => {})
  return {
    stop: async () => {
      stopping.abort()
      await running
      return result
    },
  }
}

async function createOrder(client: Client, counts: Counts, turn: number): Promise<void> {
  await client.query(
    `with created as (
       insert into orders (tenant_id, order_tenant_id, assembly_date, warehouse_id, items_count, total_quantity)
       values (1, $1, '2026-12-02', 1, 1, 2) returning id, created_at
     ), line as (
       insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity)
       select 1, id, $2::bigint, 'barcode-' || $2::bigint, 'Product', 2 from created
     ), counted as (
       insert into order_count_changes (tenant_id, created_day, assembly_date, state_id, change)
       select 1, (created_at at time zone 'UTC')::date, '2026-12-02', 1, 1 from created
     )
     insert into events (tenant_id, id, topic, body)
     select 1, 'evt_' || lpad(to_hex(pg_current_xact_id()::text::bigint), 12, '0') || lpad(to_hex(nextval('event_sequence')), 12, '0'),
       'order/created', json_build_object('order_id', id)::text from created`,
    [`NEW-${turn}`, 1 + (turn % ROWS.products)],
  )
  counts.orders++
}

async function addStock(client: Client, counts: Counts, turn: number): Promise<void> {
  await client.query(
    `with level as (
       update stock_levels set quantity = quantity + 1, previous_quantity = quantity
       where tenant_id = 1 and product_id = $1 and location_id = 'A-01' returning quantity, previous_quantity
     ), total as (
       update warehouse_stock set quantity = quantity + 1, previous_quantity = quantity where tenant_id = 1 and product_id = $1 and warehouse_id = 1
     ), moved as (
       insert into stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity)
       select 1, $1, 'A-01', 'IN', 1, previous_quantity, quantity from level returning created_at
     )
     insert into movement_count_changes (tenant_id, created_day, product_id, location_id, movement_type, change)
     select 1, (created_at at time zone 'UTC')::date, $1, 'A-01', 'IN', 1 from moved`,
    [1 + (turn % ROWS.products)],
  )
  counts.movements++
}

async function readOrders(client: Client, counts: Counts, turn: number): Promise<void> {
  await client.query(
    `select o.id, o.order_tenant_id, o.state_id,
       (select json_agg(json_build_object('id', l.id, 'picked_quantity', l.picked_quantity)) from order_lines l
        where l.tenant_id = 1 and l.order_id = o.id) as lines
     from orders o where o.tenant_id = 1 and o.state_id = $1 order by o.created_at desc, o.id desc limit 50`,
    [[1, 2, 5, 7][turn % 4]],
  )
  counts.reads++
}

async function readStock(client: Client, counts: Counts, turn: number): Promise<void> {
  await client.query(
    `select p.id, p.barcode, l.location_id, l.quantity, (select max(m.id) from stock_movements m
       where m.tenant_id = 1 and m.product_id = p.id) as movement
     from products p join stock_levels l on l.tenant_id = 1 and l.product_id = p.id where p.tenant_id = 1 and p.barcode = $1`,
    [`barcode-${1 + (turn % ROWS.products)}`],
  )
  counts.reads++
}
