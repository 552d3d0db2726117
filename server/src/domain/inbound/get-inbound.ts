import { endpoint } from '../../procedures/endpoint.ts'
import { readInbound } from './inbound-calls.ts'
import { inbound, inboundId } from './schemas.ts'

/** A delivery with its lines. Throws `not_found`. */
export const getInbound = endpoint({
  name: 'inbound.get',
  scope: 'read:stock',
  method: 'GET',
  path: '/inbound/{id}',
  summary: 'Get an expected delivery',
  description: 'An expected delivery with its lines and the received quantity of each.',
  isAddition: true,
  input: inboundId,
  output: inbound,
  run: ({ db, caller }, { id }) => readInbound(db, caller.tenantId, id),
})
