// Measures the effect of ten dead receivers with 100,000 due deliveries on the delay of a healthy receiver, from commit to arrival.
// Usage: node test/bench/webhook-isolation.ts [seconds per phase]. DATABASE_URL names a Postgres; without it, an embedded one is started.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase, type Database } from '@fulfillment/server/database/database.ts'
import { startEmbeddedPostgres } from '@fulfillment/server/database/embedded/embedded-postgres.ts'
import { migrate } from '@fulfillment/server/database/migrate.ts'
import { statement } from '@fulfillment/server/database/statements/statement.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { recordEvents } from '@fulfillment/server/domain/events/index.ts'
import { maintainAllPartitions } from '@fulfillment/server/maintenance.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import { HostNameResolver, startDeliveryEngine } from '@fulfillment/server/delivery/index.ts'
import type { Addresses, Arrival } from './receivers-process.ts'

const EVENTS_PER_SECOND = 100
const BACKLOG = 100_000
const WARM_UP_SECONDS = 3
const secondsPerPhase = Number(process.argv[2] ?? 20)

const now = (): number => performance.timeOrigin + performance.now()
const encryption = createEncryption('a benchmark needs no secret')

const record = statement<[tenantId: number], { id: string }>({
  name: 'record_bench_event',
  connection: 'write',
  sql: `with source as (select 1 as position, 'order/created' as topic, json_build_object('order_id', 1, 'note', repeat('x', 400)) as data),
   ${recordEvents('source')} select id from recorded_event`,
})

const subscribe = statement<[tenantId: number, url: string, secret: Buffer], { id: number }>({
  name: 'subscribe_bench',
  connection: 'write',
  sql: `with s as (
     insert into webhook_subscriptions (tenant_id, name, url, events, secret_ciphertext) values ($1, 'bench', $2, '{*}', $3) returning id
   ), l as (insert into webhook_lanes (tenant_id, subscription_id) select $1, id from s)
   select id from s`,
})

/** Creates a tenant with a dead receiver and a part of the backlog. */
async function addDead(db: Database, url: string, deliveries: number): Promise<void> {
  const { id: tenantId } = await createTenant(db, 'dead')
  const subscription = await db.runOne(subscribe, [tenantId, url, encryption.encrypt('whsec_AAAA')])
  await db.dedicatedPool.query(
    `with e as (
       insert into events (tenant_id, id, topic, body)
       select $1, 'evt_' || lpad(to_hex(n), 24, '0'), 'order/created', '{"id":"evt_' || lpad(to_hex(n), 24, '0') || '","data":"' || repeat('x', 400) || '"}'
       from generate_series(1, $3::int) n returning *
     )
     insert into waiting_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, next_attempt_at, created_at)
     select tenant_id, $2, id, created_at, topic, now(), now() from e`,
    [tenantId, subscription?.id, deliveries],
  )
  await db.dedicatedPool.query('update webhook_lanes set due_at = now() where tenant_id = $1', [tenantId])
}

/** Writes events at a steady rate. Returns their delays in milliseconds, sorted. */
async function measure(db: Database, tenantId: number, wake: () => void, arrivals: Map<string, number>): Promise<number[]> {
  const committed = new Map<string, number>()
  const write = async (): Promise<void> => {
    const event = await db.runOne(record, [tenantId])
    if (event !== undefined) committed.set(event.id, now())
    wake()
  }
  const started = now()
  const total = EVENTS_PER_SECOND * (secondsPerPhase + WARM_UP_SECONDS)
  for (let n = 0; n < total; n++) {
    await delay(Math.max(0, started + (n * 1000) / EVENTS_PER_SECOND - now()))
    void write()
  }
  for (let waited = 0; waited < 300 && [...committed.keys()].some((id) => !arrivals.has(id)); waited++) await delay(100)
  const delays = [...committed].map(([id, at]) => (arrivals.get(id) ?? Infinity) - at)
  return delays.slice(EVENTS_PER_SECOND * WARM_UP_SECONDS).toSorted((a, b) => a - b)
}

const quantile = (sorted: readonly number[], q: number): number => sorted[Math.floor(q * (sorted.length - 1))] ?? NaN

function report(name: string, delays: readonly number[]): number {
  const [p50, p99, max] = [0.5, 0.99, 1].map((q) => quantile(delays, q)) as [number, number, number]
  console.log(
    `${name.padEnd(34)} p50 ${p50.toFixed(1).padStart(7)} ms   p99 ${p99.toFixed(1).padStart(7)} ms   max ${max.toFixed(1).padStart(7)} ms`,
  )
  return p99
}

async function startDatabase(): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env.DATABASE_URL
  if (given !== undefined) return { url: given, stop: async () => {} }
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fulfillment-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir })
  const stop = async (): Promise<void> => {
    await postgres.stop()
    await rm(dataDir, { recursive: true })
  }
  return { url: postgres.connectionString, stop }
}

const { url, stop } = await startDatabase()
const db = openDatabase(url)
await migrate(db.kysely)
await maintainAllPartitions(db)

const receivers = fork(fileURLToPath(new URL('receivers-process.ts', import.meta.url)))
const [addresses] = (await once(receivers, 'message')) as [Addresses]
const arrivals = new Map<string, number>()
receivers.on('message', ({ id, at }: Arrival) => arrivals.set(id, at))

const { id: tenantId } = await createTenant(db, 'healthy')
await db.run(subscribe, [tenantId, addresses.healthy, encryption.encrypt('whsec_AAAA')])
const engine = startDeliveryEngine({
  db,
  encryption,
  webhookTargets: { allowPrivateNetwork: true, requireHttps: false, names: new HostNameResolver() },
  log: console,
})
const wake = (): void => engine.wake()

const before = report('healthy receiver alone', await measure(db, tenantId, wake, arrivals))
for (const dead of addresses.dead) await addDead(db, dead, BACKLOG / addresses.dead.length)
await db.dedicatedPool.query('analyze waiting_deliveries')
const beside = report(`beside ${addresses.dead.length} dead ones, ${BACKLOG} due`, await measure(db, tenantId, wake, arrivals))
await db.dedicatedPool.query('delete from webhook_subscriptions where tenant_id <> $1', [tenantId])
const after = report('alone again', await measure(db, tenantId, wake, arrivals))
console.log(`ratio of the 99th percentiles      ${(beside / Math.min(before, after)).toFixed(2)}   (at most 2 is the goal)`)

await engine.stop({ graceMs: 0 })
receivers.kill()
await db.close()
await stop()
