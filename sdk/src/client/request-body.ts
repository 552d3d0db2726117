import { FulfillmentError } from '../fulfillment-error.ts'

const MAX_LEVELS = 100

/**
 * The JSON of an input. Throws for values that JSON cannot represent: `JSON.stringify` turns NaN into null, which clears a field, and
 * silently drops or changes the others.
 */
export function requestBody(input: unknown): string | undefined {
  if (input === undefined) return undefined
  const problem = findProblem(input, 0)
  if (problem) throw new FulfillmentError(`The input cannot be sent as JSON: ${problem.path.slice(1) || 'it'} ${problem.text}`)
  try {
    return JSON.stringify(input)
  } catch (cause) {
    throw new FulfillmentError(`The input cannot be sent as JSON: ${String(cause)}`, { cause })
  }
}

interface Problem {
  path: string
  text: string
}

// The path is built on the way back, so that valid input, the common case, allocates no text.
function findProblem(value: unknown, level: number): Problem | undefined {
  const text = scalarProblem(value) ?? (level > MAX_LEVELS ? 'is nested too deeply, or holds itself' : undefined)
  if (text) return { path: '', text }
  if (typeof value !== 'object' || value === null || hasOwnForm(value)) return undefined
  const isArray = Array.isArray(value)
  if (!isArray && Symbol.iterator in value) return { path: '', text: 'is a collection: use an array or a plain object' }
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined && !isArray) continue
    const problem = item === undefined ? { path: '', text: 'is undefined' } : findProblem(item, level + 1)
    if (problem) return { ...problem, path: `${isArray ? `[${key}]` : `.${key}`}${problem.path}` }
  }
  return undefined
}

function scalarProblem(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return `is ${value}`
  if (typeof value === 'bigint' && !hasOwnForm(value)) return 'is a BigInt: give a number or text'
  if (typeof value === 'function' || typeof value === 'symbol') return `is a ${typeof value}`
  return value instanceof Date && Number.isNaN(value.getTime()) ? 'is an invalid Date' : undefined
}

// Dates, and the decimals and dates of libraries, define their JSON in toJSON.
function hasOwnForm(value: object | bigint): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function'
}
