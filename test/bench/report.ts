import { QUIET_CORES } from './machine.ts'
import type { Measurement, Row } from './row.ts'

export type MeasuredRow = Row & Measurement

/** The table, as Markdown. */
export function tableOf(rows: readonly MeasuredRow[]): string {
  const lines = rows.map((row) =>
    [
      row.title,
      row.ratio.toFixed(2),
      `${row.higherIsBetter ? '≥' : '≤'} ${row.must}`,
      String(row.aim),
      reached(row),
      `${formatted(row.median)} ${row.unit}`,
      `${Math.round(row.spread * 100)} %`,
    ].join(' | '),
  )
  return [
    '| operation | ratio | must | aim | reached | median | spread |',
    '|---|---|---|---|---|---|---|',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n')
}

/** A warning for a row that was measured while other processes used the machine; undefined otherwise. */
export function noiseOf(row: Measurement): string | undefined {
  if (!(row.foreignCores > QUIET_CORES)) return undefined
  return `the machine was not quiet: other processes kept ${row.foreignCores.toFixed(2)} cores busy`
}

function reached({ ratio, must, aim, higherIsBetter }: MeasuredRow): string {
  const reaches = (goal: number): boolean => (higherIsBetter ? ratio >= goal : ratio <= goal)
  if (reaches(aim)) return 'aim'
  return reaches(must) ? 'must' : '**no**'
}

function formatted(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}
