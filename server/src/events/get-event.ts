import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import type { Event } from './schemas.ts'

const findEvent = statement<[tenantId: number, id: string], { body: string }>(
  'find_event',
  'select body from events where tenant_id = $1 and id = $2',
)

/** One event, as it was sent. Throws `not_found`. */
export async function getEvent({ db, caller }: RequestContext, input: { id: string }): Promise<Event> {
  const row = await db.runOne(findEvent, [caller.tenantId, input.id])
  if (row === undefined) throw new ServiceError('not_found', 'Event not found')
  return JSON.parse(row.body) as Event
}
