import type { z } from 'zod'
import { ServiceError } from '../errors.ts'
import { inputShape, plainSchema, type FieldSchema } from '../input-shape.ts'

/** Throws `validation_error` when a known parameter comes in a form that would not be understood; returns the query. */
export type QueryCheck = (query: object) => object

/** How a query parameter is to be written. */
interface Form {
  isRepeatable: boolean
  /** For people: `repeat it, as in state_id=1&state_id=2`. */
  rightForm: string
}

/**
 * The check of an endpoint's query, from the names and types of its input. Fields that the endpoint does not have are ignored; a filter
 * in another notation, such as `state_id[]=1` or `page[number]=2`, must not be: the answer would hold what was to be filtered out.
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
      if (form !== undefined && (bracket !== -1 || !isUnderstood(value, form))) throw wrongForm(name, form)
    }
    return query
  }
}

/** What repeats are names and numbers, none of which has a comma. */
function isUnderstood(value: unknown, { isRepeatable }: Form): boolean {
  return isRepeatable ? typeof value !== 'string' || !value.includes(',') : typeof value === 'string'
}

function wrongForm(name: string, { rightForm }: Form): ServiceError {
  return new ServiceError('validation_error', `${name}: ${rightForm}`, { details: [{ path: name, error: rightForm }] })
}

function formOf(name: string, schema: FieldSchema): Form {
  const { type, element } = plainSchema(schema).def
  if (type !== 'array' || element === undefined) return { isRepeatable: false, rightForm: `give it once, as in ${name}=...` }
  const { values, entries = {} } = plainSchema(element).def
  const [one = '...', two = '...'] = values ?? Object.values(entries)
  return { isRepeatable: true, rightForm: `repeat it, as in ${name}=${String(one)}&${name}=${String(two)}` }
}
