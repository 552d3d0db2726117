import { APIError } from '../../shared/api.ts'

/** The server's name of a field, or of several in a row, and the name in the form. */
export type FieldNames = Readonly<Record<string, string>>

/** The field that an error without details is about, by its code. */
export type CodeFields = Readonly<Partial<Record<string, (message: string) => string>>>

/** The server's messages by field. The form shows them beside the fields, and the whole message above its buttons. */
export function fieldErrors(error: Error | undefined, names: FieldNames = {}, codes: CodeFields = {}): Record<string, string> {
  if (!(error instanceof APIError)) return {}
  const byField: Record<string, string> = {}
  for (const detail of error.details ?? []) {
    for (const [path, text] of pathsOf(detail)) byField[names[path] ?? path] ??= sentence(text)
  }
  const field = codes[error.code]?.(error.message)
  return field === undefined ? byField : { ...byField, [field]: error.message }
}

type Detail = NonNullable<APIError['details']>[number]

// Calls of many items name the position of the item and write the field into the message: `order_detail[0].quantity: must be …`.
function pathsOf(detail: Detail): [path: string, text: string][] {
  if ('path' in detail) return [[detail.path, detail.error]]
  return detail.error.split('; ').flatMap((part): [string, string][] => {
    const match = /^([a-z_]+(?:\[\d+\])?(?:\.[a-z_]+)?): (.*)$/.exec(part)
    return match === null ? [] : [[match[1] ?? '', match[2] ?? '']]
  })
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
