import { endpoint } from '../../procedures/endpoint.ts'
import { transitionTo } from './change-state.ts'
import { count, countId } from './schemas.ts'

const toReview = transitionTo('review')

/** Ends counting. Submitting again changes nothing. Throws `not_found` and `count_error`. */
export const submitCount = endpoint({
  name: 'counts.submit',
  scope: 'write:stock',
  method: 'POST',
  path: '/counts/{id}/submit',
  summary: 'Submit a count',
  description:
    'Ends counting. The count can then be reviewed and approved, or reopened to count again. Submitting it again succeeds and changes nothing.',
  errors: ['count_error'],
  isAddition: true,
  input: countId,
  output: count,
  run: ({ caller, db }, { id }) => db.transaction((tx) => toReview(tx, caller.tenantId, id)),
})
