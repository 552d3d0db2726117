import { endpoint } from '../../procedures/endpoint.ts'
import { readHold } from './read-hold.ts'
import { hold, holdId } from './schemas.ts'

/** A hold. Throws `not_found`. */
export const getHold = endpoint({
  name: 'holds.get',
  scope: 'read:orders',
  method: 'GET',
  path: '/holds/{id}',
  summary: 'Get a hold',
  description: 'A hold with its lines.',
  isAddition: true,
  input: holdId,
  output: hold,
  run: ({ db, caller }, { id }) => readHold(db, caller.tenantId, id),
})
