import { endpoint } from '../../procedures/endpoint.ts'
import { changeInbound, readInbound } from './inbound-calls.ts'
import { inbound, updateInboundInput } from './schemas.ts'

/** Changes a delivery. Throws `not_found`, and `inbound_error` when it is over and more than its note is given. */
export const updateInbound = endpoint({
  name: 'inbound.update',
  scope: 'write:stock',
  method: 'PUT',
  path: '/inbound/{id}',
  summary: 'Change an expected delivery',
  description:
    'Changes the fields that are given. Lines do not change: cancel the delivery and announce it again. Sends no event.',
  errors: ['inbound_error'],
  isAddition: true,
  input: updateInboundInput,
  output: inbound,
  run: ({ caller, db }, { id, allow_over: allowOver, ...changes }) =>
    db.transaction(async (tx) => {
      const over = allowOver === null ? false : allowOver
      await changeInbound(tx, caller.tenantId, id, { ...changes, allow_over: over })
      return readInbound(tx, caller.tenantId, id)
    }),
})
