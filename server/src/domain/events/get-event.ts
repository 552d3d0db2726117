import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { event, type Event, getEventInput } from './schemas.ts'

const findEvent = statement<[tenantId: number, id: string], { body: string }>({
  name: 'find_event',
  connection: 'read',
  sql: 'select body from events where tenant_id = $1 and id = $2',
})

/** One event, as sent to subscribers. Throws `not_found`. */
export const getEvent = endpoint({
  name: 'events.get',
  scope: 'read:webhooks',
  method: 'GET',
  path: '/events/{id}',
  summary: 'Get an event',
  description: 'One event, as subscribers receive it.',
  isAddition: true,
  input: getEventInput,
  output: event,
  run: async ({ db, caller }, input) => {
    const row = await db.runOne(findEvent, [caller.tenantId, input.id])
    if (row === undefined) throw new ServiceError('not_found', 'Event not found')
    return JSON.parse(row.body) as Event
  },
})
