import { ServiceError } from '../../errors/service-error.ts'
import { textEndpoint } from '../../procedures/endpoint.ts'
import { JsonText } from '../../procedures/json-text.ts'
import { cursorText } from './cursor.ts'
import type { TimelineEntry } from './entries-of.ts'
import { type DeliverySummary, findDeliveries, type ListedEvent } from './find-deliveries.ts'
import { KINDS, omittedFor } from './kinds.ts'
import { readTimeline } from './read-timeline.ts'
import { timelineInput, timelineOutput } from './schemas.ts'

/** A page of what happened to an order, oldest first. Throws `not_found`. */
export const getTimeline = textEndpoint({
  name: 'orders.timeline',
  scope: 'read:orders',
  method: 'GET',
  path: '/orders/{id}/timeline',
  summary: 'Read the timeline of an order',
  description: `Everything that happened to an order, oldest first: calls, changes of state, picking flows, stock movements, reservations, shipments, returns, and events with their deliveries.

\`omitted\` lists the kinds that the key may not see: \`call\` needs \`admin\`, \`movement\` needs \`read:stock\`, \`event\` needs \`read:webhooks\`. Calls are kept for a year, reservations and events for 30 days, everything else as long as the order. Only the latest 1,000 picking flows, changes of state, shipments and returns of the order are listed, 1,000 of each. Changes of state, calls and events recorded by versions without this operation are missing.

Entries with the same time are ordered by kind and then by id. The order of kinds is the one above, with the creation of the order after calls. Paging shows every entry once, even while entries are added.`,
  isAddition: true,
  input: timelineInput,
  output: timelineOutput,
  run: async ({ db, caller }, { id, after, limit, kind }) => {
    const omitted = omittedFor(caller)
    const kinds = KINDS.filter((name) => kind.includes(name) && !omitted.includes(name))
    const read = await readTimeline(db, caller.tenantId, { orderId: id, after, limit: limit + 1, kinds })
    if (read === undefined) throw new ServiceError('not_found', 'Order not found')
    const page = read.entries.slice(0, limit)
    const last = page.at(-1)
    const next = read.entries.length > limit && last !== undefined ? cursorText({ ...last, at: new Date(last.at) }) : null
    const { webhooks } = read
    const entries = await textOf(
      page,
      webhooks > 0 ? (events) => findDeliveries(db, caller.tenantId, { events, webhooks }) : undefined,
    )
    return new JsonText(`{"entries":[${entries}],"omitted":${JSON.stringify(omitted)},"next_cursor":${JSON.stringify(next)}}`)
  },
})

/** The entries as JSON text, with the deliveries that are found for their events. */
async function textOf(
  page: readonly TimelineEntry[],
  find?: (events: ListedEvent[]) => Promise<Map<string, DeliverySummary[]>>,
): Promise<string> {
  const deliveries = await find?.(page.flatMap(({ event }) => event ?? []))
  const texts = page.map(
    ({ at, rank, id, event, data }) =>
      `{"at":"${at}","kind":"${KINDS[rank]}","id":"${id}","data":${data(event && deliveries?.get(event.id))}}`,
  )
  return texts.join(',')
}
