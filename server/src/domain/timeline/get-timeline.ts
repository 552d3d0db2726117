import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { ServiceError } from '../../procedures/errors.ts'
import { cursorText } from './cursor.ts'
import { findDeliveries, type ListedEvent } from './find-deliveries.ts'
import { KINDS, omittedFor } from './kinds.ts'
import type { ReadEntry } from './entries-of.ts'
import { withMicroseconds } from './position-in.ts'
import { readTimeline } from './read-timeline.ts'
import { timelineInput, timelineOutput, type TimelineEntry } from './schemas.ts'

/** A page of what happened to an order, oldest first. Throws `not_found`. */
export const getTimeline = endpoint({
  name: 'orders.timeline',
  scope: 'read:orders',
  method: 'GET',
  path: '/orders/{id}/timeline',
  summary: 'Read the timeline of an order',
  description: `Everything that happened to an order, oldest first: calls, changes of state, picking flows, stock movements, reservations, shipments, returns, and events with their deliveries.

\`omitted\` lists the kinds that the key may not see: \`call\` needs \`admin\`, \`movement\` needs \`read:stock\`, \`event\` needs \`read:webhooks\`. Calls are kept for a year, reservations and events for 30 days, everything else as long as the order. Changes of state, calls and events from before the upgrade to the version with this operation are missing.

Entries of one time are ordered by kind, as listed above with the creation after calls, and then by id. Paging shows every entry once, also while others are added.`,
  isAddition: true,
  input: timelineInput,
  output: timelineOutput,
  run: async (context, { id, after, limit, kind }) => {
    const { db, caller } = context
    const omitted = omittedFor(caller)
    const kinds = KINDS.filter((name) => kind.includes(name) && !omitted.includes(name))
    const read = await readTimeline(db, caller.tenantId, { orderId: id, after, limit: limit + 1, kinds })
    if (read === undefined) throw new ServiceError('not_found', 'Order not found')
    const page = read.entries.slice(0, limit)
    const last = page.at(-1)
    return {
      entries: await withDeliveries(context, page, read.hasWebhooks),
      omitted,
      next_cursor: read.entries.length > limit && last !== undefined ? cursorText({ ...last, at: new Date(last.at) }) : null,
    }
  },
})

async function withDeliveries(
  { db, caller }: RequestContext,
  page: readonly ReadEntry[],
  hasWebhooks: boolean,
): Promise<TimelineEntry[]> {
  const entries = page.map(({ entry }) => entry)
  if (!hasWebhooks) return entries
  const deliveries = await findDeliveries(db, caller.tenantId, entries.flatMap(listedEvent))
  return entries.map((entry) =>
    entry.kind === 'event' ? { ...entry, data: { ...entry.data, deliveries: deliveries.get(entry.data.event_id) ?? [] } } : entry,
  )
}

/** The id of an entry begins with the microseconds of its time, which `at` does not have. */
function listedEvent({ kind, at, id, data }: TimelineEntry): ListedEvent[] {
  if (kind !== 'event') return []
  return [{ id: data.event_id, createdAt: withMicroseconds(at, id.split('_')[1] ?? '') }]
}
