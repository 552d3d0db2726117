import { endpoint } from '../../procedures/endpoint.ts'
import { readReturn } from './return-calls.ts'
import { returnRecord, returnId } from './schemas.ts'

/** A return with its lines. Throws `not_found`. */
export const getReturn = endpoint({
  name: 'returns.get',
  scope: 'read:orders',
  method: 'GET',
  path: '/returns/{id}',
  summary: 'Get a return',
  description: 'A return with its lines, and the received, restocked, quarantined and scrapped quantity of each.',
  isAddition: true,
  input: returnId,
  output: returnRecord,
  run: ({ db, caller }, { id }) => readReturn(db, caller.tenantId, id),
})
