import { endpoint } from '../../procedures/endpoint.ts'
import { cancelRecordInput } from '../receiving/index.ts'
import { endInbound, readInbound } from './inbound-calls.ts'
import { inbound } from './schemas.ts'

/** Cancels a delivery of which nothing is received. Cancelling it again changes nothing. Throws `not_found` and `inbound_error`. */
export const cancelInbound = endpoint({
  name: 'inbound.cancel',
  scope: 'write:stock',
  method: 'POST',
  path: '/inbound/{id}/cancel',
  summary: 'Cancel an expected delivery',
  description:
    'Cancels a delivery without receipts, or whose receipts are all undone. Cancelling it again succeeds and changes nothing.',
  errors: ['inbound_error'],
  isAddition: true,
  input: cancelRecordInput('The supplier cannot deliver'),
  output: inbound,
  run: ({ caller, db }, { id, reason }) =>
    db.transaction(async (tx) => {
      await endInbound.cancelled(tx, caller.tenantId, id, reason)
      return readInbound(tx, caller.tenantId, id)
    }),
})
