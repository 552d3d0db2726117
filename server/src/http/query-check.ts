import type { z } from 'zod'
import { invalidField } from '../errors/invalid-field.ts'
import { type FieldSchema, inputShape, plainSchema } from '../procedures/input-shape.ts'

/** Returns the query. Throws `validation_error` if a known parameter has an unsupported notation. */
export type QueryCheck = (query: object) => object

/** The notation of a query parameter. */
interface Form {
  isRepeatable: boolean
  /** For the error message: `repeat it, as in state_id=1&state_id=2`. */
  rightForm: string
}

/**
 * Creates the check of an endpoint's query from the names and types of its input. Unknown fields are ignored. A filter in another notation,
 * such as `state_id[]=1` or `page[number]=2`, must not be ignored, because the response would not be filtered.
 */
export function queryCheck(input: z.ZodType | undefined, path: string): QueryCheck {
  const forms = new Map(
    Object.entries(inputShape(input))
      .filter(([name]) => !path.includes(`{${name}}`))
      .map(([name, schema]) => [name, formOf(name, schema)]),
  )
  return (query) => {
    for (const [key, value] of Object.entries(query)) {
      const bracket = key.indexOf('[')
      const name = bracket === -1 ? key : key.slice(0, bracket)
      const form = forms.get(name)
      if (form !== undefined && (bracket !== -1 || !isUnderstood(value, form))) throw invalidField(name, form.rightForm)
    }
    return query
  }
}

/** Repeatable parameters are names and numbers, which contain no comma. */
function isUnderstood(value: unknown, { isRepeatable }: Form): boolean {
  return isRepeatable ? typeof value !== 'string' || !value.includes(',') : typeof value === 'string'
}

function formOf(name: string, schema: FieldSchema): Form {
  const { type, element } = plainSchema(schema).def
  if (type !== 'array' || element === undefined) return { isRepeatable: false, rightForm: `give it once, as in ${name}=...` }
  const { values, entries = {} } = plainSchema(element).def
  const [one = '...', two = '...'] = values ?? Object.values(entries)
  return { isRepeatable: true, rightForm: `repeat it, as in ${name}=${String(one)}&${name}=${String(two)}` }
}
