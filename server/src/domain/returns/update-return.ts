import { endpoint } from '../../procedures/endpoint.ts'
import { changeReturn, readReturn } from './return-calls.ts'
import { returnRecord, updateReturnInput } from './schemas.ts'

/** Changes a return. Throws `not_found`, and `return_error` when it is over and more than its note is given. */
export const updateReturn = endpoint({
  name: 'returns.update',
  scope: 'write:orders',
  method: 'PUT',
  path: '/returns/{id}',
  summary: 'Change a return',
  description: 'Changes the fields that are given. Lines do not change: cancel the return and announce it again. Sends no event.',
  errors: ['return_error'],
  isAddition: true,
  input: updateReturnInput,
  output: returnRecord,
  run: ({ caller, db }, { id, allow_over: allowOver, ...changes }) =>
    db.transaction(async (tx) => {
      const over = allowOver === null ? false : allowOver
      await changeReturn(tx, caller.tenantId, id, { ...changes, allow_over: over })
      return readReturn(tx, caller.tenantId, id)
    }),
})
