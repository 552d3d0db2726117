import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '@fulfillment/server/database/embedded/embedded-postgres.ts'
import { type Disk, mountDisk, SMALL_LOG } from './faults/disk.ts'
import { FAULT_KINDS, type FaultKind } from './faults/faults.ts'
import { startInstallation } from './installation.ts'
import { checkOperations } from './operations.ts'
import { Random } from './random.ts'
import { shrink, toldHistory } from './shrink.ts'
import { simulate } from './simulate.ts'

/** `npm run simulate`: see docs/simulator.md. Exits with 1 when it finds something. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    minutes: { type: 'string', default: '2' },
    servers: { type: 'string', default: '2' },
    workers: { type: 'string', default: '2' },
    clients: { type: 'string', default: '20' },
    faults: { type: 'string', default: FAULT_KINDS.join(',') },
    shrink: { type: 'string', default: 'yes' },
  },
})
const kinds = values.faults.split(',').filter((kind) => kind !== '' && kind !== 'none')
const unknown = kinds.find((kind) => !FAULT_KINDS.includes(kind as FaultKind))
if (unknown !== undefined) throw new Error(`--faults: ${unknown} is none of ${FAULT_KINDS.join(', ')}`)

const seed = Number(values.seed)
const startedAt = performance.now()
const log = (line: string): void => console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${line}`)
log(`seed ${seed}`)

const document = JSON.parse(await readFile(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as Record<
  string,
  unknown
>
checkOperations(document)
const dataDir = await mkdtemp(path.join(tmpdir(), 'fulfillment-simulator-'))
const disk = kinds.includes('disk') ? smallDisk(dataDir) : undefined
const postgres = await startEmbeddedPostgres({ dataDir, settings: disk === undefined ? {} : SMALL_LOG })
const installation = await startInstallation(
  { databaseUrl: postgres.connectionString, dataDir, disk, servers: Number(values.servers), workers: Number(values.workers) },
  new Random(seed),
)
try {
  const options = {
    seed,
    durationMs: Number(values.minutes) * 60_000,
    clients: Number(values.clients),
    faults: new Set(kinds as FaultKind[]),
    document,
    log,
  }
  const report = await simulate(installation, options)
  log(`${report.calls} calls, ${report.events} events, ${report.quietPoints} quiet points`)
  for (const [name, times] of report.faults) log(`${times} times: ${name}`)
  if (report.finding !== undefined) {
    log(`FOUND: ${report.finding.message}`)
    if (values.shrink === 'yes') console.log(toldHistory(await shrink(installation, options, report.finding)))
    const { minutes, servers, workers, clients } = values
    const size = `--minutes ${minutes} --servers ${servers} --workers ${workers} --clients ${clients}`
    console.log(`Again: npm run simulate -- --seed ${seed} ${size} --faults ${kinds.join(',') || 'none'}`)
    process.exitCode = 1
  }
} finally {
  await installation.stop()
  await postgres.stop()
  disk?.unmount()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
}

/** Undefined, with a line that says why, where no disk can be mounted. */
function smallDisk(folder: string): Disk | undefined {
  try {
    return mountDisk(folder)
  } catch (error) {
    log(`no full disk: ${(error as Error).message.trim()}`)
    return undefined
  }
}
