import type { Delivery } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ExportButton } from '../../kit/export-button.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Id } from '../../kit/id.tsx'
import { OptionFilter } from '../../kit/option-filter.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { Empty } from '../../kit/region.tsx'
import { TimeUntil } from '../../kit/relative-time.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, Stacked } from '../../kit/table.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { TopicFilter } from '../../kit/topic-filter.tsx'
import { type Filter, filterBy, isFiltered } from '../../search-parameters.ts'
import type { DeliveriesSearch } from './deliveries-search.ts'
import { DELIVERY_STATES, isUnderWay } from './delivery-states.ts'
import { DeliveryState } from './delivery-state.tsx'

const LIMIT = 50
const EVERY_MS = 10_000

/** The deliveries of a webhook, the newest event first. */
export function Deliveries({ id }: { id: string }) {
  const search = useSearch({ from: '/frame/webhooks/$id' })
  const navigate = useNavigate({ from: '/webhooks/$id' })
  const { page = 1, state, event } = search
  const filter = filterBy(navigate)
  const query = useRead(
    ['deliveries', id, search],
    (api, options) => api.webhooks.deliveries(id, { state, event, page, limit: LIMIT }, options),
    {
      isPending: ({ deliveries }) => deliveries.length === 0 || deliveries.some(isUnderWay),
      // On the first page new ones appear.
      ...(page === 1 ? { everyMs: EVERY_MS } : {}),
    },
  )
  return (
    <Section
      title={t.deliveries.title}
      actions={<ExportButton resource="deliveries" query={{ id, state, event }} scope="read:webhooks" />}
    >
      <Filters isSet={isFiltered(search)} onClear={() => void navigate({ search: {} })}>
        <DeliveryFilters search={search} filter={filter} />
      </Filters>
      <PagedTable
        query={query}
        caption={t.deliveries.title}
        columns={COLUMNS}
        rowsOf={({ deliveries }) => deliveries}
        rowKey={(delivery) => delivery.id}
        news={{ list: JSON.stringify([id, search]), text: t.deliveries.more }}
        total={t.deliveries.total}
        empty={<Empty text={isFiltered(search) ? t.deliveries.noMatch : t.deliveries.none} />}
        page={page}
        onPage={(next) => filter({ page: next })}
      />
    </Section>
  )
}

function DeliveryFilters({ search, filter }: { search: DeliveriesSearch; filter: Filter<DeliveriesSearch> }) {
  return (
    <>
      <OptionFilter
        label={t.deliveries.state}
        any={t.deliveries.anyState}
        values={DELIVERY_STATES}
        labelOf={(state) => t.deliveries.states[state]}
        value={search.state}
        onFilter={(state) => filter({ state })}
      />
      <TopicFilter value={search.event} onFilter={(event) => filter({ event })} />
    </>
  )
}

const COLUMNS: Column<Delivery>[] = [
  {
    id: 'event',
    header: t.deliveries.event,
    cell: ({ id, event, event_id, webhook_id }) => (
      <Stacked below={<Id id={event_id} />}>
        <Link to="/webhooks/$id/deliveries/$delivery" params={{ id: webhook_id, delivery: id }}>
          {event}
        </Link>
      </Stacked>
    ),
  },
  { id: 'state', header: t.deliveries.state, cell: ({ state }) => <DeliveryState state={state} /> },
  { id: 'attempts', header: t.deliveries.attemptCount, isNumber: true, cell: ({ attempt_count }) => attempt_count },
  { id: 'status', header: t.deliveries.lastStatus, isNumber: true, cell: ({ last_status }) => <Value text={last_status} /> },
  { id: 'error', header: t.deliveries.lastError, isWide: true, cell: ({ last_error }) => <Value text={last_error} /> },
  {
    id: 'next',
    header: t.deliveries.nextAttempt,
    cell: ({ next_attempt_at }) => (next_attempt_at === null ? <None /> : <TimeUntil at={next_attempt_at} />),
  },
  { id: 'created', header: t.deliveries.created, isTight: true, cell: ({ created_at }) => <Time at={created_at} /> },
]
