import type { Delivery } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useHeldRows } from '../../data/use-held-rows.ts'
import { useRead } from '../../data/use-read.ts'
import { Filters } from '../../kit/filters.tsx'
import { NewRows } from '../../kit/new-rows.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { TimeUntil } from '../../kit/relative-time.tsx'
import { Section } from '../../kit/screen.tsx'
import { Select } from '../../kit/select.tsx'
import { type Column, Stacked, Table } from '../../kit/table.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { TOPIC_OPTIONS, topicOf } from '../../kit/topics.ts'
import { isFiltered } from '../../search-parameters.ts'
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
  const filter = (change: Partial<DeliveriesSearch>): void =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...change }) })
  const query = useRead(
    ['deliveries', id, search],
    (api, options) => api.webhooks.deliveries(id, { state, event, page, limit: LIMIT }, options),
    {
      isPending: ({ deliveries }) => deliveries.length === 0 || deliveries.some(isUnderWay),
      // On the first page new ones appear.
      ...(page === 1 ? { everyMs: EVERY_MS } : {}),
    },
  )
  const [isPointed, setPointed] = useState(false)
  const { rows, newCount, release } = useHeldRows({
    list: JSON.stringify([id, search]),
    latest: query.isPlaceholderData ? undefined : query.data?.deliveries,
    idOf: (delivery) => delivery.id,
    limit: LIMIT,
    isHeld: isPointed,
  })
  return (
    <Section title={t.deliveries.title}>
      <Filters isSet={isFiltered(search)} onClear={() => void navigate({ search: {} })}>
        <DeliveryFilters search={search} filter={filter} />
      </Filters>
      <NewRows text={newCount === 0 ? undefined : t.deliveries.more(newCount, newCount < LIMIT)} onShow={release} />
      <Region query={query}>
        {({ pagination }) => (
          <>
            {pagination.total === 0 ? (
              <Empty text={isFiltered(search) ? t.deliveries.noMatch : t.deliveries.none} />
            ) : (
              <div onPointerEnter={() => setPointed(true)} onPointerLeave={() => setPointed(false)}>
                <Table
                  caption={t.deliveries.title}
                  columns={COLUMNS}
                  rows={rows}
                  rowKey={(delivery) => delivery.id}
                  isStale={query.isPlaceholderData}
                />
              </div>
            )}
            <Pages
              total={t.deliveries.total(pagination.total)}
              page={page}
              totalPages={pagination.total_pages}
              onPage={(next) => filter({ page: next })}
            />
          </>
        )}
      </Region>
    </Section>
  )
}

const STATE_OPTIONS = [
  { value: 'all', label: t.deliveries.anyState },
  ...DELIVERY_STATES.map((value) => ({ value: value as string, label: t.deliveries.states[value] })),
]

function DeliveryFilters({ search, filter }: { search: DeliveriesSearch; filter: (change: Partial<DeliveriesSearch>) => void }) {
  return (
    <>
      <Select
        label={t.deliveries.state}
        options={STATE_OPTIONS}
        value={search.state ?? 'all'}
        onChange={(value) => filter({ state: DELIVERY_STATES.find((state) => state === value) })}
      />
      <Select
        label={t.webhooks.topic}
        options={TOPIC_OPTIONS}
        value={search.event ?? 'all'}
        onChange={(value) => filter({ event: topicOf(value) })}
      />
    </>
  )
}

const COLUMNS: Column<Delivery>[] = [
  {
    id: 'event',
    header: t.deliveries.event,
    cell: ({ id, event, event_id, webhook_id }) => (
      <Stacked below={<code>{event_id}</code>}>
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
