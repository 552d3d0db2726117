import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { recordEvents } from '../events/index.ts'
import { recordEventPosition } from '../records/index.ts'
import { countUpdatedData } from './count-json.ts'
import { countNotFound, readCount } from './read-count.ts'
import type { Count, CountState } from './schemas.ts'

/** The transitions that change no stock, by their new state: the states before it, and what else changes. */
const TRANSITIONS = {
  counting: { from: ['review'], also: '' },
  review: { from: ['counting'], also: '' },
  cancelled: { from: ['counting', 'review'], also: ', cancelled_at = clock_timestamp()' },
} as const

/**
 * The function that brings a count into a state, in a transaction. In that state, it changes nothing. Throws `not_found`, and `count_error` in
 * a state without such a transition.
 */
export function transitionTo(to: keyof typeof TRANSITIONS) {
  const { from, also } = TRANSITIONS[to]
  const isAllowed = `state in (${from.map((state) => `'${state}'`).join(', ')})`
  const change = statement<[tenantId: number, countId: number, reason: string | null], { state: CountState; is_done: boolean }>({
    name: `transition_count_to_${to}`,
    connection: 'write',
    sql: `with locked as materialized (
     select id, state, ${isAllowed} as is_allowed from stock_counts where tenant_id = $1 and id = $2 for no key update
   ), changed as (
     update stock_counts r set state = '${to}', cancellation_reason = $3::text, updated_at = clock_timestamp()${also}
     from locked o where r.tenant_id = $1 and r.id = $2 and o.is_allowed
     returning r.*
   ), record_event as (
     select ${recordEventPosition('count', 'r.id')} as position, 'count/updated' as topic, ${countUpdatedData('o.state')} as data
     from changed r join locked o using (id)
   ), ${recordEvents('record_event')}
   select state, state = '${to}' or is_allowed as is_done from locked`,
  })
  return async (tx: Queryable, tenantId: number, id: number, reason: string | null = null): Promise<Count> => {
    const row = await tx.runOne(change, [tenantId, id, reason])
    if (row === undefined) throw countNotFound()
    if (!row.is_done) throw wrongState(row.state)
    return readCount(tx, tenantId, id)
  }
}

/** The error of a call that the state does not permit. */
export const wrongState = (state: CountState): ServiceError => new ServiceError('count_error', WRONG_STATES[state])

const WRONG_STATES: Readonly<Record<CountState, string>> = {
  counting: 'The count is still counting: submit it first',
  review: 'The count is submitted: reopen it first',
  approved: 'The count is approved',
  cancelled: 'The count is cancelled',
}
