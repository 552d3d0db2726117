import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { RequestContext } from '@fulfillment/server/procedures/context.ts'
import { type Database, openDatabase } from '@fulfillment/server/database/database.ts'
import { listAuditLog } from '@fulfillment/server/domain/audit/list-audit-log.ts'
import { recordUsage } from '@fulfillment/server/domain/reports/index.ts'
import { reportUsage } from '@fulfillment/server/domain/reports/report-usage.ts'
import { removeOldUsage } from '@fulfillment/server/domain/reports/slice.ts'
import { endSession } from '@fulfillment/server/domain/sessions/end-session.ts'
import { endSessionOf, findSession, startSession, touchSession } from '@fulfillment/server/domain/sessions/index.ts'
import { listSessions } from '@fulfillment/server/domain/sessions/list-sessions.ts'
import { stockOverview } from '@fulfillment/server/domain/stock/stock-overview.ts'
import { getDelivery } from '@fulfillment/server/domain/webhooks/get-delivery.ts'
import { maintainAllPartitions } from '@fulfillment/server/maintenance.ts'
import { cloneDatabase } from '../support/test-database.ts'
import { Recorder, type Reads } from './explain.ts'

/** Each tenant has a default warehouse, a key, and as many of these. */
const TENANTS = 2_000
const EACH = { products: 10, sessions: 10, deliveries: 5, hours: 10 }
/** One tenant has many more. */
const LARGE = 1
const LARGE_HAS = { products: 5_000, sessions: 500, deliveries: 2_000, hours: 2_000 }

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
const code = { tenantId: LARGE, hash: hashOf(1) }
const overview = (query: object) => stockOverview.run(context, { page: 1, limit: 50, low: false, ...query })

/** Every call of what the pages brought, by name. What it may read besides the rows that it is about is in the tests. */
const CALLS = {
  findSession: () => findSession(context.db, token, 12),
  touchSession: () => touchSession(context.db, { tenant_id: LARGE, id: 7 }),
  startWithKey: () => startSession(context.db as Database, { ...signIn, credential: { tenantId: LARGE, keyId: 1 } }),
  startWithCode: () => startSession(context.db as Database, { ...signIn, credential: { code } }),
  endOwn: () => endSessionOf(context.db as never, token, actor),
  endById: () => endSession.run(context, { id: 7 }),
  listSessions: () => listSessions.run(context, {}),
  overviewFirst: () => overview({}),
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
  recordUsage: () =>
    recordUsage(context.db, [
      { tenantId: LARGE, keyId: 1, operation: 'orders.list', requests: 1, clientErrors: 0, limited: 0, serverErrors: 0 },
    ]),
  removeOldUsage: () => removeOldUsage(context.db, new AbortController().signal),
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
  context = { ...context, sessionRules: { idleHours: 12, forget: () => {} } }
  // One record of everything, which the calls need to run to their end.
  await seed(seeding, 1, 1, { products: 1, sessions: 10, deliveries: 1, hours: 1 })
  for (const call of Object.values(CALLS)) await recorder.keepPlansOf(call)
  await seed(seeding, 2, TENANTS, EACH)
  await seed(seeding, 1, 1, LARGE_HAS)
  await seeding.query(`select setval(pg_get_serial_sequence('sessions', 'id'), 1000000)`)
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
    `insert into products (tenant_id, id, barcode, external_id, name, minimum_threshold) overriding system value
     select t, n, 'B' || lpad(n::text, 8, '0'), 'SKU-' || n, 'Product number ' || n, n % 100 from ${each(counts.products)}`,
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
  ])
    await client.query(`${text} on conflict do nothing`)
}

const TABLES = ['sessions', 'sign_in_codes', 'api_keys', 'tenants', 'warehouses', 'products', 'stock_levels', 'warehouse_stock']
const ALL = [...TABLES, 'locations', 'webhook_subscriptions', 'events', 'finished_deliveries', 'audit_log', 'usage_hours']

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

const { products, sessions, hours } = LARGE_HAS
const ONE_PAGE = { stock_levels: 100, locations: 100 }
const CASES: [call: keyof typeof CALLS, most: Most][] = [
  ['findSession', { known: { sessions: 1, api_keys: 1, tenants: 2, warehouses: 2 }, empty: { sessions } }],
  ['touchSession', { known: { sessions: 1 }, empty: { sessions } }],
  ['startWithKey', { known: { sessions: 2 * sessions, api_keys: 1, tenants: 1 } }],
  ['startWithCode', { known: { sessions: 2 * sessions, sign_in_codes: 2, api_keys: 1, tenants: 1 } }],
  ['endOwn', { known: { sessions: 1, api_keys: 1 }, empty: { sessions } }],
  ['endById', { known: { sessions: 1, tenants: 1 }, empty: { sessions } }],
  ['listSessions', { known: { sessions, api_keys: sessions, tenants: 1 } }],
  ['overviewFirst', { known: { products: 2 * products + 50, ...ONE_PAGE, warehouse_stock: 2 * products } }],
  ['overviewLow', { known: { products: 2 * products + 50, ...ONE_PAGE, warehouse_stock: 4 * products } }],
  [
    'overviewAt',
    { known: { products: 2 * products + 50, stock_levels: 2 * products, locations: 100, warehouse_stock: 2 * products } },
  ],
  ['overviewByShortage', { known: { products: 2 * products + 50, ...ONE_PAGE, warehouse_stock: 4 * products } }],
  ['overviewSearched', { known: { products: 20, stock_levels: 2, locations: 2, warehouse_stock: 8 } }],
  ['overviewSearchedByShortage', { known: { products: 20, stock_levels: 2, locations: 2, warehouse_stock: 8 } }],
  ['overviewSearchedShort', { known: { products: 2 * products + 50, ...ONE_PAGE, warehouse_stock: 2 * products } }],
  ['overviewSearchedShortByShortage', { known: { products: 2 * products + 50, ...ONE_PAGE, warehouse_stock: 4 * products } }],
  ['getDelivery', { known: { events: 2, finished_deliveries: 2, webhook_subscriptions: 2 } }],
  ['auditOfSurface', { known: { audit_log: hours + 1 } }],
  ['reportUsage', { known: { usage_hours: 25 } }],
  ['recordUsage', { known: {} }],
  ['removeOldUsage', { known: { tenants: TENANTS, usage_hours: 0 }, empty: { usage_hours: 100_000 } }],
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
  if (call !== 'removeOldUsage') expect(reads.whole.filter((table) => ALL.includes(table))).toEqual([])
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
