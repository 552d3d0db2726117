import { invalidField } from '../errors/invalid-field.ts'
import type { LargeList } from '../procedures/context.ts'

/** More than most models can read. A single order of the longest kind has less. */
const MAX_CHARACTERS = 1_048_576

/** The data of a call with the list that REST sends in pieces. Throws `validation_error` if it is too large for a message. */
export async function wholeData(data: unknown, list: LargeList): Promise<Record<string, unknown>> {
  const items: unknown[] = []
  let characters = 0
  for await (const piece of list.pieces) {
    characters += JSON.stringify(piece).length
    if (characters > MAX_CHARACTERS) throw invalidField('limit', 'the result would have more than 1 MB; ask for fewer records')
    items.push(...piece)
  }
  return { ...(data as object), [list.field]: items }
}
