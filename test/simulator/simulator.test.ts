import { expect, inject } from 'vitest'
import { it as base } from '../support/it.ts'
import { cloneDatabase } from '../support/test-database.ts'
import { startInstallation } from './installation.ts'
import { checkOperations } from './operations.ts'
import { Random } from './random.ts'
import { shrink, toldHistory } from './shrink.ts'
import { simulate } from './simulate.ts'
import type { FaultKind } from './faults/faults.ts'

// `npm run simulate` has further faults, and as much time as it is given.
const DURATION_MS = 60_000
const ROUND_MS = 20_000
// Clients and faults mostly rest, so that other tests have the machine.
const PAUSE_MS = 1_000
const REST_MS = 6_000
const CLIENTS = 8
// With the shortest history of a finding.
const TIMEOUT_MS = 300_000

const it = base.extend('installation', async ({}, { onCleanup }) => {
  const seed = Number(process.env.SIMULATOR_SEED ?? Math.floor(Math.random() * 1_000_000))
  const { url, drop } = await cloneDatabase(inject('postgresUrl'))
  const installation = await startInstallation({ databaseUrl: url, servers: 2 }, new Random(seed))
  onCleanup(async () => {
    await installation.stop()
    await drop()
  })
  return { ...installation, seed }
})

it('has a generator for every operation of the document', () => {
  checkOperations(inject('openApiDocument'))
})

it('the service does what the model says, under random calls and faults', { timeout: TIMEOUT_MS }, async ({ installation }) => {
  console.log(`simulator: seed ${installation.seed}; again: SIMULATOR_SEED=${installation.seed} npx vitest run test/simulator`)
  const options = {
    seed: installation.seed,
    durationMs: DURATION_MS,
    roundMs: ROUND_MS,
    clients: CLIENTS,
    pauseMs: PAUSE_MS,
    restMs: REST_MS,
    faults: new Set<FaultKind>(['kill', 'freeze', 'network', 'clock']),
    document: inject('openApiDocument'),
  }
  const { finding, calls } = await simulate(installation, options)
  if (finding !== undefined) expect.fail(toldHistory(await shrink(installation, options, finding)))
  expect(calls).toBeGreaterThan(CLIENTS)
})
