import { endpoint } from '../../procedures/endpoint.ts'
import { readCount } from './read-count.ts'
import { count, countId } from './schemas.ts'

/** A count with its lines. Throws `not_found`. */
export const getCount = endpoint({
  name: 'counts.get',
  scope: 'read:stock',
  method: 'GET',
  path: '/counts/{id}',
  summary: 'Get a count',
  description: 'A count with its lines, in pick order.',
  isAddition: true,
  input: countId,
  output: count,
  run: ({ db, caller }, { id }) => readCount(db, caller.tenantId, id),
})
