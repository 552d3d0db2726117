import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { RequestContext } from '@fulfillment/server/procedures/context.ts'
import { type Database, openDatabase } from '@fulfillment/server/database/database.ts'
import { listAuditLog } from '@fulfillment/server/domain/audit/list-audit-log.ts'
import { createDeviceCode } from '@fulfillment/server/domain/operators/create-device-code.ts'
import { getOperator } from '@fulfillment/server/domain/operators/get-operator.ts'
import { listOperators } from '@fulfillment/server/domain/operators/list-operators.ts'
import { updateOperator } from '@fulfillment/server/domain/operators/update-operator.ts'
import { listFlows } from '@fulfillment/server/domain/picking/list-flows.ts'
import { listQueue } from '@fulfillment/server/domain/picking/list-queue.ts'
import { MAX_COMPLETED } from '@fulfillment/server/domain/picking/schemas.ts'
import { recordUsage } from '@fulfillment/server/domain/reports/index.ts'
import { reportDeliveries } from '@fulfillment/server/domain/reports/report-deliveries.ts'
import { reportPicking } from '@fulfillment/server/domain/reports/report-picking.ts'
import { reportStock } from '@fulfillment/server/domain/reports/report-stock.ts'
import { reportUsage } from '@fulfillment/server/domain/reports/report-usage.ts'
import { removeOldHours } from '@fulfillment/server/domain/reports/remove-old-hours.ts'
import { endSession } from '@fulfillment/server/domain/sessions/end-session.ts'
import {
  endSessionOf,
  enrolDevice,
  findDeviceSession,
  findOperatorOfDevice,
  findSession,
  type KnownDevice,
  signInOperator,
  signOutOperator,
  startSession,
  touchDeviceSession,
  touchSession,
} from '@fulfillment/server/domain/sessions/index.ts'
import { listSessions } from '@fulfillment/server/domain/sessions/list-sessions.ts'
import { stockOverview } from '@fulfillment/server/domain/stock/stock-overview.ts'
import { getDelivery } from '@fulfillment/server/domain/webhooks/get-delivery.ts'
import { maintainAllPartitions } from '@fulfillment/server/maintenance.ts'
import { cloneDatabase } from '../support/test-database.ts'
import { Recorder, type Reads } from './explain.ts'

/** Each tenant has a default warehouse, a key, and as many of these. */
const TENANTS = 2_000
const EACH = { products: 10, sessions: 10, devices: 10, orders: 10, completed: 10, deliveries: 5, hours: 10 }
/** One tenant has many more. */
const LARGE = 1
const LARGE_HAS = {
  products: 5_000,
  sessions: 500,
  devices: 500,
  orders: 2_000,
  completed: 12_000,
  deliveries: 2_000,
  hours: 2_000,
}

let recorder: Recorder
let context: RequestContext
let analyse: () => Promise<unknown>
let end: () => Promise<void>

const hashOf = (session: number): Buffer => createHash('sha256').update(`session ${session}`).digest()
const eventOf = (tenant: number, event: number): string => `evt_1${(tenant * 100_000 + event).toString(16).padStart(23, '0')}`
const token = { tenantId: LARGE, hash: hashOf(7) }
const actor = { address: '127.0.0.1', requestId: 'request' }
const signIn = {
  ...actor,
  userAgent: 'Firefox',
  maxDays: 7,
  former: undefined,
  admits: () => true,
}
const deviceHash = (device: number): Buffer => createHash('sha256').update(`device ${device}`).digest()
const device = {
  id: 100_007,
  tenant_id: LARGE,
  data_tenant_id: LARGE,
  device_id: 7,
  key_id: 1,
  key_name: 'key',
  operator: { id: 7, name: 'Operator 7', email: 'operator-7@example.com', may_change_stock: true },
} as KnownDevice
const enrolment = {
  ...actor,
  code: { tenantId: LARGE, hash: deviceHash(7) },
  deviceName: undefined,
  devices: [{ id: 7, secret: 'device 7' }],
  userAgent: 'Firefox',
  former: { tenantId: LARGE, hash: deviceHash(8) },
  admits: () => true,
}
const flows = (query: object) => listFlows.run(context, { page: 1, limit: 50, ...query })
const code = { tenantId: LARGE, hash: hashOf(1) }
const overview = (query: object) => stockOverview.run(context, { page: 1, limit: 50, low: false, ...query })

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000)

/** Every call of what the pages brought, by name. What it may read besides the rows that it is about is in the tests. */
const CALLS = {
  findSession: () => findSession(context.db, token, 12),
  touchSession: () => touchSession(context.db, { tenant_id: LARGE, id: 7 }),
  startWithKey: () => startSession(context.db as Database, { ...signIn, credential: { tenantId: LARGE, keyId: 1 } }),
  startWithCode: () => startSession(context.db as Database, { ...signIn, credential: { code } }),
  endOwn: () => endSessionOf(context.db as never, token, { ...actor, kind: 'dashboard' }),
  endById: () => endSession.run(context, { id: 7 }),
  listSessions: () => listSessions.run(context, {}),
  findDevice: () => findDeviceSession(context.db, { tenantId: LARGE, hash: deviceHash(7) }),
  touchDevice: () => touchDeviceSession(context.db, device),
  enrolDevice: () => enrolDevice(context.db as Database, enrolment),
  enrolNewDevice: () => enrolDevice(context.db as Database, { ...enrolment, devices: [] }),
  signInOperator: () => signInOperator(context.db as Database, device, { operatorId: 8, hash: deviceHash(8) }, actor),
  signOutOperator: () => signOutOperator(context.db as Database, device, actor),
  operatorOfDevice: () => findOperatorOfDevice(context.db, device, 7),
  deviceCode: () => createDeviceCode.run(context, { device_name: 'Handheld' }),
  getOperator: () => getOperator.run(context, { id: 7 }),
  listOperators: () => listOperators.run(context, { page: 1, limit: 50 }),
  updateOperator: () => updateOperator.run(context, { id: 7, name: 'Ada' }),
  queue: () => listQueue.run(context, { page: 1, limit: 50 }),
  searchedQueue: () => listQueue.run(context, { page: 1, limit: 50, search: 'ORDER-17' }),
  flowsOfOperator: () => flows({ operator_email: 'operator-7@example.com', state: 'started' }),
  flowsCompleted: () => flows({ completed_since: new Date(Date.now() - 86_400_000) }),
  overviewFirst: () => overview({}),
  overviewLast: () => overview({ page: LARGE_HAS.products / 50 }),
  overviewLow: () => overview({ low: true }),
  overviewAt: () => overview({ location_id: 'A-7' }),
  overviewByShortage: () => overview({ sort: 'shortage' }),
  overviewSearched: () => overview({ search: 'number 4711' }),
  overviewSearchedByShortage: () => overview({ search: 'number 4711', sort: 'shortage' }),
  overviewSearchedShort: () => overview({ search: '47' }),
  overviewSearchedShortByShortage: () => overview({ search: '47', sort: 'shortage' }),
  getDelivery: () => getDelivery.run(context, { id: `dlv_1_${eventOf(LARGE, 1)}` }),
  auditOfSurface: () => listAuditLog.run(context, { limit: 50, surface: 'dashboard', after: undefined }),
  reportUsage: () => reportUsage.run(context, { since: new Date(Date.now() - 86_400_000), key_id: 1 }),
  reportStock: () => reportStock.run(context, { product_id: 1, since: daysAgo(30), step: 'day' }),
  reportStockByHour: () => reportStock.run(context, { product_id: 1, since: daysAgo(30), step: 'hour' }),
  reportStockAtLocation: () => reportStock.run(context, { product_id: 1, location_id: 'A-1', since: daysAgo(30), step: 'day' }),
  reportPickingByHour: () => reportPicking.run(context, { since: daysAgo(1), by: 'hour' }),
  reportPickingByDay: () => reportPicking.run(context, { since: daysAgo(30), by: 'day' }),
  reportPickingByOperator: () => reportPicking.run(context, { since: daysAgo(30), by: 'operator' }),
  reportDeliveries: () => reportDeliveries.run(context, { since: new Date(Date.now() - 86_400_000), webhook_id: '1' }),
  recordUsage: () =>
    recordUsage(context.db, [
      { tenantId: LARGE, keyId: 1, operation: 'orders.list', requests: 1, clientErrors: 0, limited: 0, serverErrors: 0 },
    ]),
  removeOldHours: () => removeOldHours(context.db, new AbortController().signal),
}

beforeAll(async () => {
  const database = await cloneDatabase(inject('postgresUrl'))
  const db = openDatabase(database.url)
  await maintainAllPartitions(db)
  const client = new pg.Client({
    connectionString: database.url,
    options: '-c timezone=UTC -c plan_cache_mode=force_generic_plan',
  })
  const seeding = new pg.Client({ connectionString: database.url, options: '-c session_replication_role=replica' })
  await Promise.all([client.connect(), seeding.connect()])
  // An analysis would make the plans anew.
  const { rows: tables } = await seeding.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of tables) await seeding.query(`alter table ${name} set (autovacuum_enabled = false)`)
  recorder = new Recorder(client)
  context = recorder.contextOf({ tenantId: LARGE, defaultWarehouse: { id: 1, name: 'Main' }, keyName: 'test' })
  context = { ...context, caller: { ...context.caller, keyId: 1, mode: 'live' }, pagesOrigin: 'http://localhost' }
  context = { ...context, sessionRules: { idleHours: 12, forget: () => {} } }
  // One record of everything, which the calls need to run to their end.
  await seed(seeding, 1, 1, { products: 1, sessions: 10, devices: 10, orders: 10, completed: 10, deliveries: 1, hours: 1 })
  for (const call of Object.values(CALLS)) await recorder.keepPlansOf(call)
  await seed(seeding, 2, TENANTS, EACH)
  await seed(seeding, 1, 1, LARGE_HAS)
  for (const table of ['sessions', 'devices'])
    await seeding.query(`select setval(pg_get_serial_sequence('${table}', 'id'), 1000000)`)
  analyse = () => seeding.query('vacuum analyze')
  end = async () => {
    await Promise.all([client.end(), seeding.end()])
    await db.close()
    await database.drop()
  }
}, 120_000)
afterAll(() => end())

/** Gives each of these tenants so many records; those that are there already stay. */
async function seed(client: pg.Client, first: number, last: number, counts: typeof EACH): Promise<void> {
  const tenants = `generate_series(${first}, ${last}) t`
  const each = (count: number): string => `${tenants} cross join generate_series(1, ${count}) n`
  const eventId = `'evt_1' || lpad(to_hex(t * 100000 + n), 23, '0')`
  for (const text of [
    `insert into tenants (id, name) overriding system value select t, 'Tenant ' || t from ${tenants}`,
    `insert into warehouses (tenant_id, id, name, is_default) overriding system value select t, 1, 'Main', true from ${tenants}`,
    `insert into api_keys (tenant_id, id, name, key_hash, prefix, scopes) overriding system value
     select t, 1, 'key', sha256(convert_to('key ' || t, 'UTF8')), 'service_live_', '{admin}' from ${tenants}`,
    `insert into locations (tenant_id, id, code, warehouse_id) select t, 'A-' || n, 'A-' || n, 1 from ${tenants} cross join generate_series(0, 99) n`,
    `insert into sessions (tenant_id, id, key_id, kind, token_hash, mode, address, expires_at) overriding system value
     select t, n, 1, 'dashboard', sha256(convert_to('session ' || n, 'UTF8')), 'live', '127.0.0.1', now() + interval '7 days' from ${each(counts.sessions)}`,
    `insert into sign_in_codes (tenant_id, code_hash, key_id, kind, expires_at)
     select t, sha256(convert_to('session ' || n, 'UTF8')), 1, 'dashboard', now() + interval '1 hour' from ${each(counts.sessions)}`,
    `insert into devices (tenant_id, id, secret_hash) overriding system value select t, n, sha256(convert_to('device ' || n, 'UTF8')) from ${each(counts.devices)}`,
    `insert into operators (tenant_id, id, name, email, badge_hash) overriding system value
     select t, n, 'Operator ' || n, 'operator-' || n || '@example.com', sha256(convert_to('device ' || n, 'UTF8')) from ${each(counts.devices)}`,
    `insert into device_operators (tenant_id, operator_id, device_id) select t, n, n from ${each(counts.devices)}`,
    `insert into sessions (tenant_id, id, key_id, kind, token_hash, mode, address, device_id, device_name, operator_id, expires_at) overriding system value
     select t, 100000 + n, 1, 'device', sha256(convert_to('device ' || n, 'UTF8')), 'live', '127.0.0.1', n, 'Handheld', n, now() + interval '7 days' from ${each(counts.devices)}`,
    `insert into sign_in_codes (tenant_id, code_hash, key_id, kind, device_name, expires_at)
     select t, sha256(convert_to('device ' || n, 'UTF8')), 1, 'device', 'Handheld', now() + interval '1 hour' from ${each(counts.devices)}`,
    `insert into orders (tenant_id, id, order_tenant_id, state_id, assembly_date, warehouse_id, items_count, total_quantity) overriding system value
     select t, n, 'ORDER-' || n, case when n % 2 = 0 then 1 else 3 end, current_date + n % 10, 1, 1, 1 from ${each(counts.orders)}`,
    `insert into order_lines (tenant_id, order_id, id, product_id, barcode, product_name, quantity) overriding system value
     select t, n, n, 1, 'B', 'Product', 1 from ${each(counts.orders)}`,
    `insert into picking_flows (tenant_id, id, order_id, operator_email, items_to_pick, total_quantity) overriding system value
     select t, n, n, 'operator-' || n % 100 || '@example.com', 1, 1 from ${each(counts.orders)} where n % 2 = 1`,
    `insert into picking_flows (tenant_id, id, order_id, operator_email, items_to_pick, total_quantity, state, completed_at) overriding system value
     select t, 1000000 + n, n % 10 + 1, 'grace@example.com', 1, 1, 'completed', now() - (${counts.completed} - n) * interval '1 minute' from ${each(counts.completed)}`,
    `insert into products (tenant_id, id, barcode, external_id, name, minimum_threshold) overriding system value
     select t, n, 'B' || lpad(n::text, 8, '0'), 'SKU-' || n, 'Product number ' || n, case when n % 10 = 0 then n % 100 end from ${each(counts.products)}`,
    `insert into stock_levels (tenant_id, product_id, location_id, warehouse_id, quantity) select t, n, 'A-' || n % 100, 1, 50 from ${each(counts.products)}`,
    `insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity) select t, n, 1, 50 from ${each(counts.products)}`,
    `insert into webhook_subscriptions (tenant_id, id, name, url, events, secret_ciphertext) overriding system value
     select t, 1, 'shop', 'https://shop.example', '{*}', '' from ${tenants}`,
    `insert into events (tenant_id, id, topic, created_at, body) select t, ${eventId}, 'order/created', now(), '{}' from ${each(counts.deliveries)}`,
    `insert into finished_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, state, created_at, completed_at)
     select tenant_id, 1, id, created_at, topic, 'succeeded', created_at, created_at from events
     where tenant_id between ${first} and ${last}`,
    `insert into audit_log (tenant_id, at, id, key_id, key_name, address, request_id, operation, input, surface)
     select t, now(), gen_random_uuid(), 1, 'key', '127.0.0.1', 'r', 'orders.create', '{}', 'dashboard' from ${each(counts.hours)}`,
    `insert into usage_hours select t, date_trunc('hour', now()) - n * interval '1 hour', 1, 'orders.list', 1, 0, 0, 0 from ${each(counts.hours)}`,
    `insert into delivery_hours select t, date_trunc('hour', now()) - n * interval '1 hour', 1, 1, 0, array_fill(0, array[20]) from ${each(counts.hours)}`,
    // The hours of a product at ten locations, some of them today, whose movements are all in them.
    `insert into stock_movements (tenant_id, id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, created_at) overriding system value
     select t, n, 1, 'A-' || n % 10, 'IN', 1, 0, 1, now() - n * interval '1 hour' from ${each(counts.hours)}`,
    `insert into movement_product_hours select t, 1, date_trunc('hour', now()) - n * interval '1 hour', 1 from ${each(counts.hours)}`,
    `insert into movement_level_hours select t, 1, 'A-' || n % 10, date_trunc('hour', now()) - n * interval '1 hour', 1 from ${each(counts.hours)}`,
    `insert into movement_counts select t, current_date - n / 24, 'IN', 24 from ${each(counts.hours)} group by 1, 2`,
    `insert into movement_hour_days select t, current_date - n / 24, 24 from ${each(counts.hours)} group by 1, 2`,
    `insert into pick_hours select t, date_trunc('hour', now()) - n * interval '1 hour', 'operator-1@example.com', 1, 1, 1, 1 from ${each(counts.hours)}`,
    `insert into pick_days select t, current_date - n, 'operator-1@example.com', 1, 1, 1, 1 from ${each(counts.hours)}`,
  ])
    await client.query(`${text} on conflict do nothing`)
}

const TABLES = ['sessions', 'sign_in_codes', 'api_keys', 'tenants', 'warehouses', 'products', 'stock_levels', 'warehouse_stock']
const DEVICE_TABLES = ['operators', 'devices', 'device_operators', 'orders', 'order_lines', 'picking_flows']
const ALL = [
  ...TABLES,
  ...DEVICE_TABLES,
  'locations',
  'webhook_subscriptions',
  'events',
  'finished_deliveries',
  'audit_log',
  'stock_movements',
  'movement_product_hours',
  'movement_level_hours',
  'movement_counts',
  'movement_hour_days',
  'pick_hours',
  'pick_days',
  'usage_hours',
  'delivery_hours',
]

/** Rows read of these tables and their partitions. */
function rowsOf(reads: Reads): Record<string, number> {
  const rows: Record<string, number> = {}
  for (const [table, count] of Object.entries(reads.rows)) {
    const name = ALL.find((one) => table === one || table.startsWith(`${one}_`)) ?? table
    rows[name] = (rows[name] ?? 0) + count
  }
  return rows
}

/** Most rows to be read, by table. A plan made on empty tables may read all rows of the tenant in the place of one: it knows no difference. */
interface Most {
  known: Record<string, number>
  empty?: Record<string, number>
}

const { products, devices, hours, orders } = LARGE_HAS
/** Of both kinds. */
const sessions = LARGE_HAS.sessions + devices
const MONTH_OF_DAYS = { movement_counts: 31, movement_hour_days: 31 }
const ONE_PAGE = { stock_levels: 100, locations: 100 }
const CASES: [call: keyof typeof CALLS, most: Most][] = [
  ['findSession', { known: { sessions: 1, api_keys: 1, tenants: 2, warehouses: 2 }, empty: { sessions } }],
  ['touchSession', { known: { sessions: 1, api_keys: 2 }, empty: { sessions } }],
  ['startWithKey', { known: { sessions: 2 * sessions, api_keys: 1, tenants: 1 } }],
  ['startWithCode', { known: { sessions: 2 * sessions, sign_in_codes: 2, api_keys: 1, tenants: 1 } }],
  ['endOwn', { known: { sessions: 1, api_keys: 1 }, empty: { sessions } }],
  ['endById', { known: { sessions: 1, tenants: 1 }, empty: { sessions } }],
  ['listSessions', { known: { sessions, api_keys: sessions, tenants: 1, operators: devices } }],
  [
    'findDevice',
    {
      known: { sessions: 1, api_keys: 1, tenants: 2, warehouses: 1, operators: 1 },
      empty: { sessions, operators: devices },
    },
  ],
  ['touchDevice', { known: { sessions: 1, device_operators: 1, api_keys: 2 }, empty: { sessions } }],
  [
    'enrolDevice',
    {
      known: { sessions: 2 * sessions + 10, sign_in_codes: 2, api_keys: devices + 2, tenants: 10, devices: 2 },
      empty: { devices, sessions: 4 * sessions, sign_in_codes: 4 * sessions },
    },
  ],
  [
    'enrolNewDevice',
    {
      known: { sessions: 2 * sessions + 10, sign_in_codes: 2, api_keys: devices + 2, tenants: 10 },
      empty: { sessions: 4 * sessions, sign_in_codes: 4 * sessions },
    },
  ],
  ['signInOperator', { known: { sessions: 1, operators: 1 }, empty: { sessions, operators: devices } }],
  ['signOutOperator', { known: { sessions: 1 }, empty: { sessions } }],
  ['operatorOfDevice', { known: { operators: 1, device_operators: 1 }, empty: { operators: devices } }],
  ['deviceCode', { known: { api_keys: 2 } }],
  ['getOperator', { known: { operators: 1, device_operators: 1 }, empty: { operators: devices } }],
  ['listOperators', { known: { operators: 2 * devices, device_operators: 50 }, empty: { device_operators: 50 * devices } }],
  ['updateOperator', { known: { operators: 1, device_operators: 1 }, empty: { operators: devices } }],
  ['queue', { known: { orders: 100, order_lines: 50 }, empty: { orders: 2 * orders, order_lines: 50 } }],
  ['searchedQueue', { known: { orders: orders / 2 + 50, order_lines: 50 }, empty: { orders: 2 * orders } }],
  ['flowsOfOperator', { known: { picking_flows: 40, orders: 20 } }],
  ['flowsCompleted', { known: { picking_flows: MAX_COMPLETED + 50, orders: 50 } }],
  ['overviewFirst', { known: { products: 2 * products + 50, ...ONE_PAGE, warehouse_stock: 50 } }],
  ['overviewLast', { known: { products: 2 * products + 50, ...ONE_PAGE, warehouse_stock: 50 } }],
  ['overviewLow', { known: { products: products + 50, ...ONE_PAGE, warehouse_stock: products / 10 + 50 } }],
  ['overviewAt', { known: { products: 2 * products + 50, stock_levels: 2 * products, locations: 100, warehouse_stock: 50 } }],
  ['overviewByShortage', { known: { products: products + 50, ...ONE_PAGE, warehouse_stock: products / 10 + 50 } }],
  ['overviewSearched', { known: { products: 20, stock_levels: 2, locations: 2, warehouse_stock: 8 } }],
  ['overviewSearchedByShortage', { known: { products: 20, stock_levels: 2, locations: 2, warehouse_stock: 8 } }],
  ['overviewSearchedShort', { known: { products: 2 * products + 50, ...ONE_PAGE, warehouse_stock: 50 } }],
  ['overviewSearchedShortByShortage', { known: { products: products + 50, ...ONE_PAGE, warehouse_stock: products / 10 + 50 } }],
  ['getDelivery', { known: { events: 2, finished_deliveries: 2, webhook_subscriptions: 2 } }],
  ['auditOfSurface', { known: { audit_log: hours + 1 } }],
  ['reportUsage', { known: { usage_hours: 25 } }],
  ['reportStock', { known: { products: 1, stock_levels: 1, movement_product_hours: 31 * 24, ...MONTH_OF_DAYS } }],
  ['reportStockByHour', { known: { products: 1, stock_levels: 1, movement_product_hours: 31 * 24, ...MONTH_OF_DAYS } }],
  [
    'reportStockAtLocation',
    {
      known: { products: 1, stock_levels: 1, movement_level_hours: 75, ...MONTH_OF_DAYS },
      empty: { stock_levels: 100, products },
    },
  ],
  ['reportPickingByHour', { known: { pick_hours: 25 } }],
  ['reportPickingByDay', { known: { pick_days: 31 } }],
  ['reportPickingByOperator', { known: { pick_days: 31 } }],
  ['reportDeliveries', { known: { delivery_hours: 25 } }],
  ['recordUsage', { known: {} }],
  [
    'removeOldHours',
    {
      known: { tenants: 2 * TENANTS, usage_hours: 0, delivery_hours: 0 },
      empty: { usage_hours: 100_000, delivery_hours: 100_000 },
    },
  ],
]

it('there is a case for every call', () => {
  expect(CASES.map(([call]) => call)).toEqual(Object.keys(CALLS))
})

async function expectReads(call: keyof typeof CALLS, most: Record<string, number>): Promise<void> {
  const reads = await recorder.readsOf(CALLS[call])
  const rows = rowsOf(reads)
  const tooMany = ALL.filter((table) => (rows[table] ?? 0) > (most[table] ?? 0)).map((table) => [
    table,
    rows[table],
    most[table] ?? 0,
  ])
  expect(tooMany).toEqual([])
  // Maintenance looks at all tenants on purpose, once an hour.
  if (call !== 'removeOldHours') expect(reads.whole.filter((table) => ALL.includes(table))).toEqual([])
}

describe('a plan that was made on empty tables reads no rows of other tenants', () => {
  it.each(CASES)('%s', (call, { known, empty = {} }) => expectReads(call, { ...known, ...empty }))
})

describe('a plan that was made on filled tables reads what it needs', () => {
  beforeAll(async () => {
    await analyse()
    await recorder.forgetPlans()
  })
  it.each(CASES)('%s', (call, { known }) => expectReads(call, known))
})
