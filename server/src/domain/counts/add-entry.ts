import type { z } from 'zod'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Caller } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { isGiven } from '../../procedures/fields/fields.ts'
import { resolveName, sentName } from '../records/index.ts'
import { wrongState } from './change-state.ts'
import { type Entered, enterCounts, type EntryValues } from './entry-statement.ts'
import { countNotFound } from './read-count.ts'
import { addEntryInput, addEntryOutput, type CountState, MAX_LINES } from './schemas.ts'

type Input = z.infer<typeof addEntryInput>

interface Entering {
  caller: Pick<Caller, 'tenantId'>
  input: Input
  /** What named the product, when its barcode was resolved. */
  sentName?: string
}

const lockCount = statement<[tenantId: number, countId: number], { id: number }>({
  name: 'lock_count_to_enter',
  connection: 'write',
  sql: 'select id from stock_counts where tenant_id = $1 and id = $2 for no key update',
})

/** Entries of one statement are of different counts and, as far as their input tells, levels. */
const entries: BatchedStatement<Entering, Entered, EntryValues> = {
  statement: enterCounts,
  valuesOf: (calls) => [
    calls[0]?.caller.tenantId,
    calls.map(({ input }) => input.id),
    calls.map(({ input }) => input.product_id ?? null),
    calls.map(({ input }) => input.sku ?? null),
    calls.map(({ input }) => input.barcode ?? null),
    calls.map(({ input }) => input.location_id),
    calls.map(({ input }) => input.quantity),
    calls.map(({ input }) => input.entry_id ?? null),
    calls.map(({ input }) => input.operator_id ?? null),
    calls.map(({ input, sentName: sent }) => sent ?? sentName(input)),
  ],
  groupOf: () => 'entry',
  changedBy: ({ input }) => [`count ${input.id}`, `level ${sentName(input)} ${input.location_id}`],
  sizeOf: () => 1,
  secondRun: {
    isNeeded: ([row], { input }) =>
      row?.refusal === 'stale' || (isGiven(input.barcode) && (row?.refusal === 'unknown' || row?.is_same === false)),
    lock: ({ caller, input }) => ({ statement: lockCount, values: [caller.tenantId, input.id] }),
    prepare: async (db, entering) => {
      const { caller, input } = entering
      const named = { ...(await resolveName(db, caller.tenantId, input)), quantity: input.quantity }
      return { ...entering, input: named, sentName: sentName(input) }
    },
  },
}

/**
 * Says all that lies at a level; a later entry replaces it. Sending the entry again changes nothing. Throws `not_found`, `count_error` and
 * `idempotency_conflict`.
 */
export const addEntry = endpoint({
  name: 'counts.addEntry',
  scope: 'write:stock',
  method: 'POST',
  path: '/counts/{id}/entries',
  summary: 'Enter a counted quantity',
  description: `Records the counted quantity of a product at a location: the whole quantity, or 0 if there is none. A later entry for the same level replaces it. The current level is stored as \`expected_quantity\`, and approval posts the difference from it, so picks, receipts and moves in between are kept. Stock does not change before approval.

An entry for a level in the scope that has no line adds a line, up to ${MAX_LINES} lines. A level outside the scope is a \`count_error\`. The state must be \`counting\`.

An entry with an \`entry_id\` is safe to retry at any time: a repeated call changes nothing and returns the line as the entry left it. An \`entry_id\` of another entry of the count is an \`idempotency_conflict\`.`,
  errors: ['count_error'],
  isAddition: true,
  inputOfOperator: ({ id }) => ({ operator_id: id }),
  input: addEntryInput,
  output: addEntryOutput,
  run: async ({ db, caller }, input) => {
    const [result] = await db.runBatched(entries, { caller, input })
    if (result === undefined) throw countNotFound()
    const { is_same, entry_id, line } = result
    if (is_same === false)
      throw new ServiceError(
        'idempotency_conflict',
        `The entry_id "${input.entry_id}" belongs to another entry: use another entry_id`,
      )
    if (entry_id === null || line === null) throw refused(result)
    return { entry_id, line }
  },
})

function refused({ refusal, state }: Entered): ServiceError {
  switch (refusal) {
    case 'over':
      return wrongState(state as CountState)
    case 'unknown':
      return new ServiceError('not_found', 'Product not found')
    case 'nowhere':
      return new ServiceError('not_found', 'Location not found')
    case 'outside':
      return new ServiceError('count_error', 'The count does not include this product at this location: begin another count')
    default:
      return new ServiceError('count_error', `The count has ${MAX_LINES} lines already`)
  }
}
