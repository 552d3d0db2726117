import { endpoint } from '../../procedures/endpoint.ts'
import { endReturn, readReturn } from './return-calls.ts'
import { returnRecord, returnId } from './schemas.ts'

/** Closes a return. Closing it again changes nothing. Throws `not_found`, and `return_error` when it is cancelled. */
export const closeReturn = endpoint({
  name: 'returns.close',
  scope: 'write:orders',
  method: 'POST',
  path: '/returns/{id}/close',
  summary: 'Close a return',
  description: 'Ends the return: remaining goods are no longer expected. Closing it again succeeds and changes nothing.',
  errors: ['return_error'],
  isAddition: true,
  input: returnId,
  output: returnRecord,
  run: ({ caller, db }, { id }) =>
    db.transaction(async (tx) => {
      await endReturn.closed(tx, caller.tenantId, id)
      return readReturn(tx, caller.tenantId, id)
    }),
})
