import { endpoint } from '../../procedures/endpoint.ts'
import { cancelRecordInput } from '../receiving/index.ts'
import { endReturn, readReturn } from './return-calls.ts'
import { returnRecord } from './schemas.ts'

/** Cancels a return of which nothing is received. Cancelling it again changes nothing. Throws `not_found` and `return_error`. */
export const cancelReturn = endpoint({
  name: 'returns.cancel',
  scope: 'write:orders',
  method: 'POST',
  path: '/returns/{id}/cancel',
  summary: 'Cancel a return',
  description:
    'Cancels a return without receipts, or whose receipts are all undone. Cancelling it again succeeds and changes nothing.',
  errors: ['return_error'],
  isAddition: true,
  input: cancelRecordInput('The customer keeps the goods'),
  output: returnRecord,
  run: ({ caller, db }, { id, reason }) =>
    db.transaction(async (tx) => {
      await endReturn.cancelled(tx, caller.tenantId, id, reason)
      return readReturn(tx, caller.tenantId, id)
    }),
})
