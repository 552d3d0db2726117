import { setTimeout as delay } from 'node:timers/promises'
import { residentMb } from '../machine.ts'
import { median, summary } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import { call } from '../service-client.ts'
import { startBare, startService, type ServerProcess } from '../servers.ts'

const IDLE_MS = 3_000
const SOAK_SECONDS = 600
const SOAK_TURN_SECONDS = 10

/** Rows about the server as a process. */
export const processRows: Row[] = [
  {
    name: 'cold-start',
    title: 'time from start to the first response, over bare',
    must: 1.8,
    aim: 1.5,
    higherIsBetter: false,
    comparesVersions: true,
    unit: 'ms',
    measure: (bench) => inTurns(bench, async (start, key) => (await started(start, key)).ms),
  },
  {
    name: 'idle-memory',
    title: 'memory of the idle process, over bare',
    must: 1.6,
    aim: 1.3,
    higherIsBetter: false,
    comparesVersions: true,
    unit: 'MB',
    measure: (bench) => inTurns(bench, async (start, key) => (await started(start, key, bench.short ? 0 : IDLE_MS)).mb),
  },
  {
    name: 'soak',
    title: 'memory at the end of 10 minutes of mixed load, over the third minute',
    must: 1.15,
    aim: 1.05,
    higherIsBetter: false,
    unit: 'MB',
    onRequest: true,
    measure: soak,
  },
]

type Start = () => Promise<ServerProcess>

async function inTurns(
  { database, rounds, before }: Bench,
  one: (start: Start, key: string) => Promise<number>,
): Promise<Measurement> {
  const { key } = database.seed.service.small
  const startOther = (): Promise<ServerProcess> =>
    before === undefined ? startBare(database.url) : startService(database.url, { folder: before })
  const pairs: { ours: number; other: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const ours = await one(() => startService(database.url), key)
    pairs.push({ ours, other: await one(startOther, key) })
  }
  const notes = [`compared: ${median(pairs.map((pair) => pair.other)).toFixed(0)}`]
  return {
    ...summary(pairs.map(({ ours, other }) => ours / other)),
    median: median(pairs.map((pair) => pair.ours)),
    foreignCores: NaN,
    notes,
  }
}

async function started(start: Start, key: string, idleMs = 0): Promise<{ ms: number; mb: number }> {
  const begun = performance.now()
  const server = await start()
  try {
    await call(server, key, 'GET', '/orders')
    const ms = performance.now() - begun
    await delay(idleMs)
    return { ms, mb: residentMb(server.pid) }
  } finally {
    await server.stop()
  }
}

/** Reads and writes of all kinds for ten minutes. */
async function soak({ database, generator, short }: Bench): Promise<Measurement> {
  const { seed, url } = database
  const server = await startService(url)
  const memory: number[] = []
  try {
    const turns = short ? 4 : SOAK_SECONDS / SOAK_TURN_SECONDS
    const { key: apiKey } = seed.service.written
    const plan = { kind: 'mixed' as const, ids: seed.service.writtenProducts, products: seed.sizes.products, items: 20 }
    for (let turn = 0; turn < turns; turn++) {
      const { failed, failure } = await generator.run({
        port: server.port,
        apiKey,
        connections: 32,
        seconds: short ? 0.3 : SOAK_TURN_SECONDS,
        plan,
      })
      if (failed > 0) throw new Error(`${failed} requests failed, the first with ${failure}`)
      memory.push(residentMb(server.pid))
    }
  } finally {
    await server.stop()
  }
  const part = (from: number, to: number): number =>
    median(memory.slice(Math.floor(memory.length * from), Math.ceil(memory.length * to)))
  const end = part(0.85, 1)
  return {
    ratio: end / part(0.2, 0.35),
    median: end,
    spread: 0,
    foreignCores: NaN,
    notes: [`MB: ${memory.map(Math.round).join(' ')}`],
  }
}
