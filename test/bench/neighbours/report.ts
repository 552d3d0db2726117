import { quantile } from '../measure.ts'
import type { AttackMeasurement } from './measure-attack.ts'
import { STREAMS } from './neighbour-calls.ts'
import type { Observation, Phase } from './neighbour-process.ts'

export const MUST = 5
export const AIM = 2

export interface CallResult {
  call: string
  p50_alone_ms: number
  p50_beside_ms: number
  p99_alone_ms: number
  p99_beside_ms: number
  ratio: number
  /** Failed calls since the beginning of the attack, by status. `calls` is the number of all calls in that time. */
  failures: Record<string, number>
  calls: number
}

export interface AttackResult {
  name: string
  title: string
  calls: CallResult[]
  /** The ratio of the worst kind of call. */
  ratio: number
  worst_call: string
  failures: number
  memory_mb: { alone: number; beside: number }
  /** Number of responses to the attacker, by status. */
  attacker: Record<string, number>
}

/** The effect of an attack on each kind of the neighbour's calls. */
export function resultOf({ attack, observations, responses, memoryMb }: AttackMeasurement): AttackResult {
  const kinds = [...STREAMS, ...(attack.withoutWebhooks === true ? [] : (['webhook'] as const))]
  const calls = kinds.map((call) =>
    resultOfCall(
      call,
      observations.filter((one) => one.call === call),
    ),
  )
  const worst = calls.reduce((one, other) => (other.ratio > one.ratio ? other : one))
  return {
    name: attack.name,
    title: attack.title,
    calls,
    ratio: worst.ratio,
    worst_call: worst.call,
    failures: calls.reduce((sum, { failures }) => sum + total(failures), 0),
    memory_mb: { alone: Math.round(memoryMb.alone ?? NaN), beside: Math.round(memoryMb.beside ?? NaN) },
    attacker: responses,
  }
}

function resultOfCall(call: string, observations: readonly Observation[]): CallResult {
  const msOf = (phase: Phase): number[] => observations.filter((one) => one.phase === phase).map(({ ms }) => ms)
  // The harm of an attack can outlast it. So the baseline is the better of the phases before and after it.
  const alone = [msOf('alone'), msOf('after')]
    .filter((each) => each.length > 0)
    .toSorted((a, b) => quantile(a, 0.99) - quantile(b, 0.99))[0] as number[]
  const beside = msOf('beside')
  const attacked = observations.filter(({ phase }) => phase !== 'warm-up' && phase !== 'alone')
  const failed = attacked.flatMap(({ failure }) => failure ?? [])
  return {
    call,
    p50_alone_ms: rounded(quantile(alone, 0.5)),
    p50_beside_ms: rounded(quantile(beside, 0.5)),
    p99_alone_ms: rounded(quantile(alone, 0.99)),
    p99_beside_ms: rounded(quantile(beside, 0.99)),
    ratio: rounded(quantile(beside, 0.99) / quantile(alone, 0.99)),
    failures: Object.fromEntries([...Map.groupBy(failed, (reason) => reason)].map(([reason, all]) => [reason, all.length])),
    calls: attacked.length,
  }
}

/** Two tables in Markdown: one with all calls, one with a row per attack. */
export function tablesOf(results: readonly AttackResult[]): string {
  const calls = results.flatMap(({ name, calls: each }) =>
    each.map((one) => [
      name,
      one.call,
      formatted(one.p50_alone_ms),
      formatted(one.p50_beside_ms),
      formatted(one.p99_alone_ms),
      formatted(one.p99_beside_ms),
      formatted(one.ratio),
      one.calls === 0 ? '' : `${counted(one.failures) || '0'} of ${one.calls}`,
    ]),
  )
  const attacks = results.map((one) => [
    `${one.name}: ${one.title}`,
    `${formatted(one.ratio)} (${one.worst_call})`,
    `≤ ${MUST}`,
    String(AIM),
    reached(one),
    String(one.failures),
    `${one.memory_mb.alone} → ${one.memory_mb.beside}`,
    counted(one.attacker),
  ])
  return [
    table(['attack', 'call', 'p50 alone', 'p50 beside', 'p99 alone', 'p99 beside', 'ratio', 'failures'], calls),
    table(['attack', 'ratio', 'must', 'aim', 'reached', 'failures', 'memory in MB', 'responses to the attacker'], attacks),
  ].join('\n\n')
}

function reached({ ratio, failures }: AttackResult): string {
  if (failures > 0) return '**no**'
  if (ratio <= AIM) return 'aim'
  return ratio <= MUST ? 'must' : '**no**'
}

function table(head: readonly string[], rows: readonly string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const total = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

const counted = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ')

const rounded = (value: number): number => Number(value.toPrecision(3))

const formatted = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : String(value))
