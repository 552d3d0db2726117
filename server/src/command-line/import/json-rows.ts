import type { Readable } from 'node:stream'
import { linesOf } from '../text-lines.ts'
import { describeFields, fieldNamed, fieldsOf, type Fields } from './columns.ts'
import type { ImportTarget, Item } from './import-target.ts'
import { ERROR_FIELD, MAX_ROW_BYTES, type ReadOptions, type Row } from './rows.ts'

/** The rows of a JSON Lines file: one object per line. */
export async function* jsonRows(text: Readable, target: ImportTarget, { ignoreUnknown }: ReadOptions): AsyncGenerator<Row> {
  const fields = fieldsOf(target)
  let line = 0
  for await (const json of linesOf(text, MAX_ROW_BYTES)) {
    line++
    if (json.trim() !== '') yield { line, source: { text: json }, ...contentOf(json, fields, target, ignoreUnknown) }
  }
}

function contentOf(
  json: string,
  fields: Fields,
  target: ImportTarget,
  ignoreUnknown: boolean,
): { item: Item } | { error: string } {
  const value = parsed(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { error: 'is not a JSON object' }
  const item: Item = {}
  const unknown: string[] = []
  for (const [name, content] of Object.entries(value)) {
    const field = fieldNamed(name, fields, target)
    if (field !== undefined) item[field] = content
    else if (name !== ERROR_FIELD) unknown.push(name)
  }
  if (unknown.length === 0 || ignoreUnknown) return { item }
  return { error: `unknown: ${unknown.map((name) => JSON.stringify(name)).join(', ')}. Fields: ${describeFields(fields)}` }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
