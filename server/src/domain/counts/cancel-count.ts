import { endpoint } from '../../procedures/endpoint.ts'
import { transitionTo } from './change-state.ts'
import { cancelCountInput, count } from './schemas.ts'

const toCancelled = transitionTo('cancelled')

/** Drops a count. Cancelling again changes nothing. Throws `not_found` and `count_error`. */
export const cancelCount = endpoint({
  name: 'counts.cancel',
  scope: 'write:stock',
  method: 'POST',
  path: '/counts/{id}/cancel',
  summary: 'Cancel a count',
  description: 'Ends a count that is not approved. No stock changes. Cancelling it again succeeds and changes nothing.',
  errors: ['count_error'],
  isAddition: true,
  input: cancelCountInput,
  output: count,
  run: ({ caller, db }, { id, reason }) => db.transaction((tx) => toCancelled(tx, caller.tenantId, id, reason ?? null)),
})
