import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { startEmbeddedPostgres } from '@fulfillment/server/database/embedded/embedded-postgres.ts'
import { freePort } from '../support/free-port.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { send } from '../support/service.ts'
import { expectNoneKeptUnacknowledged } from './support/books.ts'
import { it as base } from './support/it.ts'
import type { Load } from './support/load.ts'
import type { Loaded } from './support/loaded-tenant.ts'
import { expectNothingLost } from './support/nothing-lost.ts'
import { postmasterOf, signalPostgres } from './support/postgres-processes.ts'
import { atMost } from '../support/patience.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** `npm run test:faults` repeats each fault many times. */
const LONG = process.env.FAULTS === 'long'
const ROUNDS = LONG ? 12 : 1
const LOAD_MS = 1_000

type Role = 'api' | 'worker' | 'other worker'

/** An API server and two workers on an embedded Postgres, which this process shares with them. */
interface Installation {
  dataDir: string
  databaseUrl: string
  processes: Record<Role, ServerProcess>
  /** Starts the server of a role on the port that it always has. */
  start(role: Role): Promise<void>
}

/** `it` with such an installation under load. */
const it = base
  .extend('postgres', { scope: 'file' }, async ({}, { onCleanup }) => {
    const dataDir = await temporaryFolder('fulfillment-faults-')
    const postgres = await startEmbeddedPostgres({ dataDir })
    onCleanup(async () => {
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    })
    return { dataDir, databaseUrl: postgres.connectionString }
  })
  .extend('installation', { scope: 'file' }, async ({ postgres, startLastingProcess }): Promise<Installation> => {
    const settings: Record<Role, Record<string, string>> = {
      api: { ROLE: 'api', PORT: String(await freePort()) },
      worker: { ROLE: 'worker', MONITORING_PORT: String(await freePort()) },
      'other worker': { ROLE: 'worker', MONITORING_PORT: String(await freePort()) },
    }
    const processes = {} as Installation['processes']
    const start = async (role: Role): Promise<void> => {
      processes[role] = await startLastingProcess({ DATA_DIR: postgres.dataDir, LOG_LEVEL: 'warn', ...settings[role] })
    }
    for (const role of ['api', 'worker', 'other worker'] as const) await start(role)
    return { ...postgres, processes, start }
  })
  .extend(
    'loaded',
    { scope: 'file' },
    async ({ installation, startLoad }) => await startLoad(installation.databaseUrl, installation.processes.api.url),
  )

/** Waits until writes are acknowledged again. */
async function untilServing(load: Load): Promise<void> {
  const before = load.acknowledged
  await expect.poll(() => load.acknowledged, { interval: 20 }).toBeGreaterThan(before)
}

/** Runs the load, causes a fault, waits until the service responds again, and checks the results. */
async function survive(load: Load, fault: () => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await delay(LOAD_MS * (0.5 + Math.random()))
    await fault()
    await untilServing(load)
    expect(load.faults).toEqual([])
  }
}

async function killAndStart({ processes, start }: Installation, role: Role): Promise<void> {
  await processes[role].end('SIGKILL')
  await start(role)
}

async function killPostgres({ dataDir }: Installation): Promise<void> {
  const killed = postmasterOf(dataDir)
  process.kill(killed, 'SIGKILL')
  await expect.poll(() => postmasterOf(dataDir), { interval: 20 }).not.toBe(killed)
}

async function freezePostgres({ dataDir }: Installation, { tenant }: Loaded): Promise<void> {
  const { responses, elapsedMs } = await whileFrozen(dataDir, async () => {
    const startedAt = performance.now()
    const refused = await Promise.all([
      tenant.request('GET', '/products/1'),
      tenant.request('POST', '/warehouses', { name: 'never' }),
    ])
    const elapsed = performance.now() - startedAt
    // The server checks its readiness at most once a second.
    await delay(Math.max(0, 1_000 - elapsed))
    return { responses: [...refused, await send(`${tenant.url}/readyz`, 'GET', undefined, {})], elapsedMs: elapsed }
  })
  const told = responses.map(({ status, headers }) => [status, headers.get('retry-after')])
  expect(told).toEqual(told.map(() => [503, '1']))
  expect(elapsedMs).toBeLessThan(atMost(2_000))
}

/** Resumes Postgres even if the work fails: the next test needs it. */
async function whileFrozen<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    signalPostgres(dataDir, 'SIGSTOP')
    return await work()
  } finally {
    signalPostgres(dataDir, 'SIGCONT')
  }
}

async function stopAndStart({ processes, start }: Installation, { db, tenant, load }: Loaded): Promise<void> {
  const before = load.writes.length
  expect(await processes.api.end('SIGTERM')).toBe(0)
  await expectNoneKeptUnacknowledged(db, tenant, load.writes.slice(before))
  await start('api')
}

const WITHIN = { timeout: 120_000 * ROUNDS }

describe('under mixed load', () => {
  it('survives SIGKILL of a worker', WITHIN, ({ installation, loaded }) =>
    survive(loaded.load, () => killAndStart(installation, 'worker')),
  )

  it('survives SIGKILL of the server', WITHIN, ({ installation, loaded }) =>
    survive(loaded.load, () => killAndStart(installation, 'api')),
  )

  it('survives SIGKILL of Postgres', WITHIN, ({ installation, loaded }) => survive(loaded.load, () => killPostgres(installation)))

  it('survives SIGKILL of the server and of Postgres together', WITHIN, ({ installation, loaded }) =>
    survive(loaded.load, async () => void (await Promise.all([killPostgres(installation), killAndStart(installation, 'api')]))),
  )

  it('responds with 503 within 2 seconds while Postgres is frozen', WITHIN, ({ installation, loaded }) =>
    survive(loaded.load, () => freezePostgres(installation, loaded)),
  )

  it('executes no call without a response while the server shuts down', WITHIN, ({ installation, loaded }) =>
    survive(loaded.load, () => stopAndStart(installation, loaded)),
  )

  it('keeps every acknowledged write exactly once and complete, and delivers every event', async ({ loaded }) => {
    await expectNothingLost(loaded, { endsLeases: !LONG, withinMs: 80_000 })
  })
})
