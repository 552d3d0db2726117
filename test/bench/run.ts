// npm run bench -- [row ...] [--short] [--profile] [--rounds=n] [--seconds=n] [--before=folder]
// npm run bench -- neighbours [attack ...] [--short]
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { startLoadGenerator } from './load/load-generator.ts'
import { busyCores, commit, describeMachine, QUIET_CORES } from './machine.ts'
import { runNeighbours } from './neighbours/run.ts'
import { noiseOf, tableOf, type MeasuredRow } from './report.ts'
import type { Bench, Row } from './row.ts'
import { againstBare } from './rows/against-bare.ts'
import { batches } from './rows/batches.ts'
import { dashboard } from './rows/dashboard.ts'
import { growth } from './rows/growth.ts'
import { keyedOverPlain } from './rows/keyed-over-plain.ts'
import { processRows } from './rows/process.ts'
import { reports } from './rows/reports.ts'
import { reserving } from './rows/reserving.ts'
import { receiving } from './rows/receiving.ts'
import { scanApp } from './rows/scan.ts'
import { sdk } from './rows/sdk.ts'
import { search } from './rows/search.ts'
import { severalProcesses } from './rows/several-processes.ts'
import { severalShards } from './rows/several-shards.ts'
import { walLevel } from './rows/wal-level.ts'
import { webhooks } from './rows/webhooks.ts'
import { startBenchDatabase } from './seed/bench-database.ts'

const ROWS: Row[] = [
  ...againstBare,
  ...keyedOverPlain,
  ...receiving,
  ...batches,
  ...growth,
  ...reports,
  ...reserving,
  ...search,
  ...webhooks,
  ...processRows,
  ...severalProcesses,
  ...severalShards,
  ...walLevel,
  ...sdk,
  ...scanApp,
  ...dashboard,
]

const RESULTS = new URL('./results.json', import.meta.url)

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    before: { type: 'string' },
  },
})
const { short } = options

if (names[0] === 'neighbours') await runNeighbours(names.slice(1), short)
else await runRows(chosenRows())

async function runRows(rows: readonly Row[]): Promise<void> {
  const busy = await busyCores()
  if (busy > QUIET_CORES) console.log(`The machine is not quiet: ${busy.toFixed(2)} cores are busy before anything was started.`)
  const database = await startBenchDatabase(short)
  const generator = startLoadGenerator()
  const bench: Bench = {
    database,
    generator,
    short,
    profile: options.profile,
    before: options.before,
    warmUpSeconds: short ? 0.3 : 4,
    rounds: Number(options.rounds ?? (short ? 1 : 5)),
    seconds: Number(options.seconds ?? (short ? 0.3 : 2)),
  }
  try {
    const measured: MeasuredRow[] = []
    for (const row of rows) measured.push(await measureRow(bench, row))
    if (bench.before === undefined) console.log(`\n${tableOf(measured)}`)
    await writeResults(measured)
  } finally {
    generator.stop()
    await database.stop()
  }
}

function chosenRows(): Row[] {
  const unknown = names.filter((name) => !ROWS.some((row) => row.name === name))
  if (unknown.length > 0)
    throw new Error(
      `No row ${unknown.join(', ')}. There are: ${ROWS.map((row) => row.name).join(', ')}, and neighbours by itself`,
    )
  const rows = ROWS.filter((row) => (names.length === 0 ? row.onRequest !== true : names.includes(row.name)))
  if (options.before === undefined) return rows
  const compared = rows.filter((row) => row.comparesVersions)
  if (compared.length === 0) throw new Error(`--before: ${names.join(', ')} cannot be compared with an earlier version`)
  return compared
}

async function measureRow(bench: Bench, row: Row): Promise<MeasuredRow> {
  const measurement = await row.measure(bench)
  const lines = [...measurement.notes, noiseOf(measurement)].filter((line) => line !== undefined)
  console.log(
    `${row.name}: ${measurement.ratio.toFixed(2)} ${options.before === undefined ? `(must ${row.must}, aim ${row.aim})` : 'of before'}\n${lines.map((line) => `    ${line}`).join('\n')}`,
  )
  return { ...row, ...measurement }
}

/** A run of some rows replaces their results of the last complete run. A short run is not written, nor one that compares versions. */
async function writeResults(measured: readonly MeasuredRow[]): Promise<void> {
  if (short || options.before !== undefined) return
  const rows = measured.map(({ name, ratio, must, aim, higherIsBetter, median, spread }) => ({
    name,
    ratio,
    must,
    aim,
    higher_is_better: higherIsBetter,
    median,
    spread,
  }))
  const known = names.length === 0 ? [] : await knownRows()
  const all = ROWS.flatMap(({ name }) => rows.find((row) => row.name === name) ?? known.find((row) => row.name === name) ?? [])
  const results = { machine: describeMachine(), commit: commit(), rows: all }
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`)
}

async function knownRows(): Promise<{ name: string }[]> {
  const text = await readFile(RESULTS, 'utf8').catch(() => '{"rows":[]}')
  return (JSON.parse(text) as { rows: { name: string }[] }).rows
}
