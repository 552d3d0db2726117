import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, type Database } from '../../server/src/database/database.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../server/src/database/embedded-postgres.ts'
import { freePort, startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { send, type TestTenant } from '../support/service.ts'
import { startReceiver, type Receiver } from '../webhooks/support/receiver.ts'
import { expectNoneKeptUnanswered } from './support/books.ts'
import { Load } from './support/load.ts'
import { newProducts, newTenant } from './support/loaded-tenant.ts'
import { expectNothingLost } from './support/nothing-lost.ts'
import { postmasterOf, signalPostgres } from './support/postgres-processes.ts'
import { atMost } from '../support/patience.ts'

/** `npm run test:faults`: each fault many times. */
const LONG = process.env.FAULTS === 'long'
const ROUNDS = LONG ? 12 : 1
const LOAD_MS = 1_000

type Role = 'api' | 'worker' | 'other worker'

let dataDir: string
let postgres: EmbeddedPostgres
let db: Database
let receiver: Receiver
let tenant: TestTenant
let load: Load
const processes = new Map<Role, ServerProcess>()
const settings = new Map<Role, Record<string, string>>()

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'fulfillment-faults-'))
  postgres = await startEmbeddedPostgres({ dataDir })
  db = openDatabase(postgres.connectionString, { maxConnections: 2 })
  receiver = await startReceiver()
  settings.set('api', { ROLE: 'api', PORT: String(await freePort()) })
  settings.set('worker', { ROLE: 'worker', MONITORING_PORT: String(await freePort()) })
  settings.set('other worker', { ROLE: 'worker', MONITORING_PORT: String(await freePort()) })
  for (const role of settings.keys()) await start(role)
  tenant = await newTenant(db, () => api().url)
  await tenant.request('POST', '/webhooks', { name: 'everything', url: receiver.url, events: ['*'] })
  load = new Load(api().url, tenant.key, await newProducts(db, tenant))
})

afterAll(async () => {
  await load.stop()
  for (const server of processes.values()) await server.end('SIGKILL')
  await receiver.close()
  await db.close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const api = (): ServerProcess => processes.get('api') as ServerProcess

async function start(role: Role): Promise<void> {
  processes.set(role, await startServerProcess({ DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...settings.get(role) }))
}

/** Waits until writes are acknowledged again. */
async function untilServing(): Promise<void> {
  const before = load.acknowledged
  await expect.poll(() => load.acknowledged, { interval: 20 }).toBeGreaterThan(before)
}

/** Lets the load run, does something to the service, waits until it serves again, and looks at what became of everything. */
async function survive(fault: () => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await delay(LOAD_MS * (0.5 + Math.random()))
    await fault()
    await untilServing()
    expect(load.faults).toEqual([])
  }
}

async function killAndStart(role: Role): Promise<void> {
  await processes.get(role)?.end('SIGKILL')
  await start(role)
}

async function killPostgres(): Promise<void> {
  const killed = postmasterOf(dataDir)
  process.kill(killed, 'SIGKILL')
  await expect.poll(() => postmasterOf(dataDir), { interval: 20 }).not.toBe(killed)
}

async function freezePostgres(): Promise<void> {
  const { answers, elapsedMs } = await whileFrozen(async () => {
    const startedAt = performance.now()
    const refused = await Promise.all([
      tenant.request('GET', '/products/1'),
      tenant.request('POST', '/warehouses', { name: 'never' }),
    ])
    const elapsed = performance.now() - startedAt
    // Readiness is asked for at most once a second.
    await delay(Math.max(0, 1_000 - elapsed))
    return { answers: [...refused, await send(`${api().url}/readyz`, 'GET', undefined, {})], elapsedMs: elapsed }
  })
  const told = answers.map(({ status, headers }) => [status, headers.get('retry-after')])
  expect(told).toEqual(told.map(() => [503, '1']))
  expect(elapsedMs).toBeLessThan(atMost(2_000))
}

/** Postgres goes on whatever becomes of the work: the next test needs it. */
async function whileFrozen<T>(work: () => Promise<T>): Promise<T> {
  try {
    signalPostgres(dataDir, 'SIGSTOP')
    return await work()
  } finally {
    signalPostgres(dataDir, 'SIGCONT')
  }
}

async function stopAndStart(): Promise<void> {
  const before = load.writes.length
  expect(await api().end('SIGTERM')).toBe(0)
  await expectNoneKeptUnanswered(db, tenant, load.writes.slice(before))
  await start('api')
}

const WITHIN = { timeout: 120_000 * ROUNDS }

describe('under mixed load', () => {
  it('survives SIGKILL of a worker', WITHIN, () => survive(() => killAndStart('worker')))

  it('survives SIGKILL of the server', WITHIN, () => survive(() => killAndStart('api')))

  it('survives SIGKILL of Postgres', WITHIN, () => survive(killPostgres))

  it('survives SIGKILL of the server and of Postgres together', WITHIN, () =>
    survive(async () => void (await Promise.all([killPostgres(), killAndStart('api')]))),
  )

  it('answers 503 within 2 seconds while Postgres is frozen', WITHIN, () => survive(freezePostgres))

  it('carries out nothing without an answer when the server is told to stop', WITHIN, () => survive(stopAndStart))

  it('keeps every acknowledged write once, nothing by halves, and delivers every event', async () => {
    await expectNothingLost({ db, tenant, load, receiver }, { endsLeases: !LONG, withinMs: 80_000 })
  })
})
