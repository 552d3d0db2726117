import type { Count, CountLine } from '@fulfillment/sdk'
import { fieldErrors } from '../../data/field-errors.ts'

/** Why a count was not posted: what the server said of lines, and when these were counted. */
export interface Refusal {
  problems: Readonly<Record<string, string>>
  countedAt: ReadonlyMap<number, string | null>
}

/** The refusal of an approval; undefined if the error is about no line. */
export function refusalOf(error: Error | undefined, { lines }: Count): Refusal | undefined {
  const problems = fieldErrors(error)
  const isOfLines = lines.some(({ id }) => nameOf(id) in problems)
  return isOfLines ? { problems, countedAt: new Map(lines.map(({ id, counted_at }) => [id, counted_at])) } : undefined
}

/** What the refusal says of a line, until the line is counted again. */
export function problemAt(refusal: Refusal | undefined, { id, counted_at }: CountLine): string | undefined {
  return refusal?.countedAt.get(id) === counted_at ? refusal?.problems[nameOf(id)] : undefined
}

const nameOf = (lineId: number): string => `lines[${lineId}]`
