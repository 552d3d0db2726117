import type { z } from 'zod'
import { ServiceError } from '../errors.ts'

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
    Object.entries(input === undefined ? {} : shapeOf(input))
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

/** As much of a schema of Zod as says how a parameter is written. */
interface Definition {
  type: string
  shape?: Record<string, Schema>
  in?: Schema
  out?: Schema
  innerType?: Schema
  element?: Schema
  entries?: Record<string, string>
  values?: unknown[]
}

interface Schema {
  def: Definition
}

function shapeOf(input: z.ZodType): Record<string, Schema> {
  return plainly(input as unknown as Schema).def.shape ?? {}
}

/** The schema of what a caller sends, without what makes it optional, prepares or transforms it. */
function plainly(schema: Schema): Schema {
  const { type, innerType, in: before, out: after } = schema.def
  if (innerType !== undefined) return plainly(innerType)
  if (type !== 'pipe' || before === undefined || after === undefined) return schema
  return plainly(before.def.type === 'transform' ? after : before)
}

function formOf(name: string, schema: Schema): Form {
  const { type, element } = plainly(schema).def
  if (type !== 'array' || element === undefined) return { isRepeatable: false, rightForm: `give it once, as in ${name}=...` }
  const { values, entries = {} } = plainly(element).def
  const [one = '...', two = '...'] = values ?? Object.values(entries)
  return { isRepeatable: true, rightForm: `repeat it, as in ${name}=${String(one)}&${name}=${String(two)}` }
}
