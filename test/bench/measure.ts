import { setTimeout as delay } from 'node:timers/promises'
import type { LoadResult } from './load/generator.ts'
import type { RequestPlan } from './load/requests.ts'
import { busySeconds, processSeconds } from './machine.ts'
import type { Bench, Measurement } from './row.ts'

/** One of the two servers that take turns. */
export interface Contender {
  pid: number
  port: number
  apiKey: string
  plan: RequestPlan
  /** Of its Postgres, if that is not the one of the benchmark. */
  postmasterPid?: number
  /** Number of counted units per request. */
  perRequest?: number
}

export const CONNECTIONS = 64

/** Linux accounts processor time with a delay. */
const SETTLE_MS = 50

interface Turn extends LoadResult {
  perSecond: number
  foreignCores: number
  /** Microseconds of processor time per request. */
  serverCpu: number
  postgresCpu: number
}

/** The compared quantity: requests per second, or the median time of a response. */
export type Measure = 'throughput' | 'latency'

/** Measures both in turns, A B B A, so that disturbances of the machine affect both, and compares neighbouring turns. */
export async function compare(
  bench: Bench,
  ours: Contender,
  other: Contender,
  connections = CONNECTIONS,
  measure: Measure = 'throughput',
): Promise<Measurement> {
  for (const one of [ours, other]) await turn(bench, one, connections, bench.warmUpSeconds)
  const pairs: { ours: Turn; other: Turn }[] = []
  for (let round = 0; round < bench.rounds; round++) {
    const first = await turn(bench, round % 2 === 0 ? ours : other, connections, bench.seconds)
    const second = await turn(bench, round % 2 === 0 ? other : ours, connections, bench.seconds)
    pairs.push(round % 2 === 0 ? { ours: first, other: second } : { ours: second, other: first })
  }
  const field = measure === 'latency' ? 'medianMs' : 'perSecond'
  return {
    ...summary(pairs.map((pair) => pair.ours[field] / pair.other[field])),
    median: median(pairs.map((pair) => pair.ours[field])),
    foreignCores: median(pairs.map((pair) => Math.max(pair.ours.foreignCores, pair.other.foreignCores))),
    notes: [
      describe(
        'ours',
        pairs.map((pair) => pair.ours),
      ),
      describe(
        'compared',
        pairs.map((pair) => pair.other),
      ),
    ],
  }
}

async function turn(bench: Bench, contender: Contender, connections: number, seconds: number): Promise<Turn> {
  const { pid, port, apiKey, plan, perRequest = 1, postmasterPid = bench.database.postmasterPid } = contender
  const read = () => ({
    busy: busySeconds(),
    own: process.cpuUsage(),
    server: processSeconds(pid),
    postgres: processSeconds(postmasterPid),
  })
  await delay(SETTLE_MS)
  const before = read()
  const result = await bench.generator.run({ port, apiKey, connections, seconds, plan })
  const after = read()
  if (result.failed > 0)
    throw new Error(`${result.failed} of ${result.requests} requests failed, the first with ${result.failure?.slice(0, 1_000)}`)
  const server = after.server - before.server
  const postgres = after.postgres - before.postgres
  const own = (after.own.user - before.own.user + after.own.system - before.own.system) / 1e6
  return {
    ...result,
    perSecond: (result.requests * perRequest) / result.seconds,
    foreignCores: Math.max(0, (after.busy - before.busy - own - server - postgres - result.cpuSeconds) / result.seconds),
    serverCpu: (server / result.requests) * 1e6,
    postgresCpu: (postgres / result.requests) * 1e6,
  }
}

/** The median of the ratios, and the distance of their quartiles. */
export function summary(ratios: readonly number[]): { ratio: number; spread: number } {
  const ratio = median(ratios)
  return { ratio, spread: (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / ratio }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const below = sorted[Math.floor(at)] ?? NaN
  const above = sorted[Math.ceil(at)] ?? NaN
  return below + (above - below) * (at - Math.floor(at))
}

function describe(who: string, turns: readonly Turn[]): string {
  const middle = (field: keyof Turn): number => median(turns.map((turn) => Number(turn[field])))
  const each = [
    `${Math.round(middle('perSecond'))} per second`,
    `p50 ${middle('medianMs').toFixed(2)} ms`,
    `p99 ${middle('p99Ms').toFixed(1)} ms`,
    `${Math.round(middle('serverCpu'))} + ${Math.round(middle('postgresCpu'))} µs CPU (server + Postgres)`,
  ]
  return `${who}: ${each.join(', ')}`
}
