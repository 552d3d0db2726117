import { endpoint } from '../../procedures/endpoint.ts'
import { endInbound, readInbound } from './inbound-calls.ts'
import { inbound, inboundId } from './schemas.ts'

/** Closes a delivery. Closing it again changes nothing. Throws `not_found`, and `inbound_error` when it is cancelled. */
export const closeInbound = endpoint({
  name: 'inbound.close',
  scope: 'write:stock',
  method: 'POST',
  path: '/inbound/{id}/close',
  summary: 'Close an expected delivery',
  description: 'Ends the delivery: remaining goods are no longer expected. Closing it again succeeds and changes nothing.',
  errors: ['inbound_error'],
  isAddition: true,
  input: inboundId,
  output: inbound,
  run: ({ caller, db }, { id }) =>
    db.transaction(async (tx) => {
      await endInbound.closed(tx, caller.tenantId, id)
      return readInbound(tx, caller.tenantId, id)
    }),
})
