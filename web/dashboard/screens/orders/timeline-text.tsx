import type { TimelineEntry } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { exact } from '../../../shared/exact.ts'
import { formatChange } from '../../../shared/format.ts'
import { isolated } from '../../../shared/texts/isolated.ts'
import { t } from '../../../shared/texts/texts.ts'
import { ProductLink } from '../../kit/record-link.tsx'

type Entry<Kind extends TimelineEntry['kind']> = Extract<TimelineEntry, { kind: Kind }>
type State = keyof typeof t.orders.states

/** An entry of a timeline in words, with links to the records that it names. */
export function TimelineText({ entry }: { entry: TimelineEntry }): ReactNode {
  const { data } = entry
  switch (entry.kind) {
    case 'call':
      return parts(
        t.timeline.call(entry.data.operation, entry.data.address),
        t.timeline.by(entry.data.key_name),
        entry.data.error,
      )
    case 'created':
      return t.timeline.created(entry.data.order_tenant_id, entry.data.items_count, entry.data.total_quantity)
    case 'state':
      return <StateText {...entry} />
    case 'flow':
      return <FlowText {...entry} />
    case 'movement':
      return <MovementText {...entry} />
    case 'reservation':
      return parts(
        t.reservations.statuses[entry.data.status],
        t.timeline.reserved(entry.data.reserved_quantity, entry.data.backordered_quantity),
      )
    case 'shipment':
      return changed(t.timeline.shipment(nameOf(entry.data)), t.timeline.shipmentStates, entry.data)
    case 'return':
      return changed(t.timeline.return(nameOf(entry.data)), t.receiving.states, entry.data)
    case 'event':
      return <EventText {...entry} />
    default:
      // A kind of a later version.
      return JSON.stringify(data)
  }
}

/** What is known, separated by commas. */
const parts = (...texts: (string | null | undefined | false)[]): string =>
  texts.filter((text) => typeof text === 'string').join(', ')

const nameOf = ({ id, reference }: { id: number; reference: string | null }): string => reference ?? String(id)

function changed<S extends string>(
  name: string,
  states: Record<S, string>,
  { state, previous_state: previous }: { state: S; previous_state: S | null },
): string {
  return `${name}: ${previous === null ? states[state] : t.timeline.change(states[previous], states[state])}`
}

const quoted = (reason: string | null): string | null => (reason === null ? null : t.timeline.reason(reason))

function StateText({ data: { state_id, previous_state_id, by, reason } }: Entry<'state'>) {
  const { states } = t.orders
  const change = t.timeline.change(states[previous_state_id as State], states[state_id as State])
  return parts(`${change} ${t.timeline.by(by)}`, quoted(reason))
}

function FlowText({ data }: Entry<'flow'>) {
  const { flow_id, batch_id, slot, state, operator_email, items_picked, total_quantity_picked, reason } = data
  return (
    <>
      <Link to="/picking/$id" params={{ id: String(flow_id) }}>
        {t.timeline.flow(flow_id)}
      </Link>{' '}
      {parts(
        `${t.timeline.flowStates[state]} ${t.timeline.by(operator_email)}`,
        batch_id !== null && slot !== null && t.timeline.slot(batch_id, slot),
        state !== 'started' && t.timeline.picked(items_picked, total_quantity_picked),
        quoted(reason),
      )}
    </>
  )
}

function MovementText({ data }: Entry<'movement'>) {
  const { product_id, product_name, previous_quantity, new_quantity, location_id, pick_id, reason } = data
  const change = formatChange(exact(new_quantity - previous_quantity))
  return (
    <>
      <ProductLink id={product_id}>{isolated(product_name)}</ProductLink>{' '}
      {parts(t.timeline.at(change, location_id), reason, pick_id !== undefined && t.timeline.pick(pick_id))}
    </>
  )
}

function EventText({ data: { event_id, event, deliveries } }: Entry<'event'>) {
  const states = deliveries.map(({ state }) => t.deliveries.states[state].toLowerCase())
  return (
    <>
      <Link to="/events/$id" params={{ id: event_id }}>
        {event}
      </Link>
      {states.length > 0 && ` ${t.timeline.deliveries(states.join(', '))}`}
    </>
  )
}
