import { endpoint } from '../../procedures/endpoint.ts'
import { transitionTo } from './change-state.ts'
import { count, countId } from './schemas.ts'

const toCounting = transitionTo('counting')

/** Goes back to counting. Reopening again changes nothing. Throws `not_found` and `count_error`. */
export const reopenCount = endpoint({
  name: 'counts.reopen',
  scope: 'write:stock',
  method: 'POST',
  path: '/counts/{id}/reopen',
  summary: 'Reopen a count',
  description:
    'Goes back to counting. Lines keep their entries until they are counted again. Reopening a count that is being counted succeeds and changes nothing.',
  errors: ['count_error'],
  isAddition: true,
  input: countId,
  output: count,
  run: ({ caller, db }, { id }) => db.transaction((tx) => toCounting(tx, caller.tenantId, id)),
})
