import { createHash } from 'node:crypto'
import { invalidField } from '../errors/invalid-field.ts'
import type { Endpoint } from '../procedures/endpoint.ts'
import type { KeyedRequest } from '../procedures/idempotency/run-once.ts'
import { beginWork, nextTurn } from '../runtime/event-loop/turns.ts'

/** The arguments of a writing tool: the endpoint's input, and the request's idempotency key if there is one. */
export interface KeyedArguments {
  input: Record<string, unknown>
  keyed: KeyedRequest | undefined
}

/**
 * Whether a call that is repeated with the same `idempotency_key` gets the first result again. Not that of a check, which responds as things are now: a
 * model gives the check and the change the same arguments.
 */
export const isKeyed = ({ type, changesNothing }: Pick<Endpoint, 'type' | 'changesNothing'>): boolean =>
  type === 'mutation' && changesNothing !== true

/**
 * Takes `idempotency_key` out of the arguments. The header of the request, which a client or a proxy that repeats requests may have set, has the same
 * effect. Throws `validation_error`.
 */
export async function keyedArguments(
  tool: string,
  given: Record<string, unknown>,
  ofHeader: string | undefined,
): Promise<KeyedArguments> {
  const { idempotency_key: argument, ...input } = given
  const key = argument ?? ofHeader
  if (key === undefined) return { input, keyed: undefined }
  const error = key === (ofHeader ?? key) ? errorOf(key) : 'differs from the one in the header of the request'
  if (error !== undefined) throw invalidField('idempotency_key', error)
  return { input, keyed: { key: key as string, fingerprint: `mcp ${tool} ${await hashOf(input)}` } }
}

function errorOf(key: unknown): string | undefined {
  if (typeof key !== 'string' || key === '' || Array.from(key).length > 255) return 'must have 1 to 255 characters'
  // Postgres stores neither.
  if (key.includes('\u0000') || !key.isWellFormed()) return 'must not contain U+0000 or half of a surrogate pair'
  return undefined
}

/** The same for the same arguments: models don't always write them in the same order. In turns, because they can have megabytes. */
async function hashOf(input: Record<string, unknown>): Promise<string> {
  const hash = createHash('sha256')
  const mustWait = beginWork()
  for (const [name, value] of Object.entries(input).toSorted(byName)) {
    hash.update(`${JSON.stringify(name)}${Array.isArray(value) ? '[' : ':'}`)
    for (const part of Array.isArray(value) ? value : [value]) {
      if (mustWait()) await nextTurn()
      hash.update(`${JSON.stringify(part, inOrder)},`)
    }
  }
  return hash.digest('hex')
}

/** For JSON.stringify: the fields of an object in the order of their names. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(byName))
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)
