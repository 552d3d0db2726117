import { type core, z } from 'zod'

type RawIssue = core.$ZodRawIssue

/**
 * The message of each kind of zod issue, in the style of the schemas' own messages: it follows the field's name and a colon. Undefined
 * selects zod's message.
 */
export function validationMessage(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : wrongType(issue.expected, issue.input)
    case 'too_small':
      return limit(issue, Number(issue.minimum), { inclusive: 'at least', exclusive: 'above' })
    case 'too_big':
      return limit(issue, Number(issue.maximum), { inclusive: 'at most', exclusive: 'below' })
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be ${alternatives(issue.values)}`
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'does not have the required format'
    case 'unrecognized_keys':
      return `has fields that are not known: ${issue.keys.join(', ')}`
    case 'invalid_union':
      return 'has none of the allowed forms'
    default:
      return undefined
  }
}

/** Makes every schema of the process use these messages. */
z.config({ customError: validationMessage })

const TYPES: Record<string, string> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

/** Examples for the most frequent errors. */
const FORMATS: Record<string, string> = {
  email: 'must be an email address such as ada@example.com',
  url: 'must be a URL such as https://shop.example',
  uuid: 'must be a UUID',
  date: 'must be a calendar date YYYY-MM-DD',
  datetime: 'must be an ISO 8601 timestamp in UTC such as 2026-12-31T18:00:00Z',
}

function wrongType(expected: string, input: unknown): string {
  const due = TYPES[expected] ?? expected
  const given = typeOf(input)
  // A decimal instead of an integer, or a number that is not finite.
  return given === 'a number' && (expected === 'int' || expected === 'number')
    ? `must be ${Number.isFinite(input) ? due : 'a finite number'}`
    : `must be ${due}, not ${given}`
}

function typeOf(input: unknown): string {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'an array'
  return typeof input === 'boolean' ? String(input) : (TYPES[typeof input] ?? `a ${typeof input}`)
}

function limit(
  { origin, inclusive = true, exact = false }: { origin: string; inclusive?: boolean; exact?: boolean },
  value: number,
  words: { inclusive: string; exclusive: string },
): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : undefined
  if (unit === undefined) return `must be ${inclusive ? words.inclusive : words.exclusive} ${value}`
  if (value === 1 && words.inclusive === 'at least' && !exact) return 'must not be empty'
  return `must have ${exact ? 'exactly' : words.inclusive} ${value} ${unit}${value === 1 ? '' : 's'}`
}

/** `a, b or c` */
function alternatives(values: readonly unknown[]): string {
  const [last, ...others] = values.map(String).toReversed()
  return others.length === 0 ? `${last}` : `${others.toReversed().join(', ')} or ${last}`
}
