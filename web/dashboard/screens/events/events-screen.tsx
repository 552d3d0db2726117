import type { Event } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useHeldRows } from '../../data/use-held-rows.ts'
import { useRead } from '../../data/use-read.ts'
import { CursorPages } from '../../kit/cursor-pages.tsx'
import { DayFilter } from '../../kit/filter-field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { NewRows } from '../../kit/new-rows.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { Select } from '../../kit/select.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { TOPIC_OPTIONS, topicOf } from '../../kit/topics.ts'
import { isFiltered } from '../../search-parameters.ts'
import type { EventsSearch } from './events-search.ts'

const LIMIT = 50
const EVERY_MS = 3_000

/** The feed of events, newest first. It is read again and again; new events wait until somebody asks for them. */
export function EventsScreen() {
  const search = useSearch({ from: '/frame/events' })
  const navigate = useNavigate({ from: '/events' })
  const { cursor } = search
  const filter = (change: Partial<EventsSearch>): void =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...change }) })
  const query = useRead(
    ['events', search],
    (api, options) => api.events.list({ ...search, order: 'desc', limit: LIMIT }, options),
    // Older pages do not change.
    { isMain: true, ...(cursor === undefined ? { everyMs: EVERY_MS } : {}) },
  )
  const { rows, newCount, release } = useHeldRows({
    list: JSON.stringify(search),
    latest: query.isPlaceholderData ? undefined : query.data?.events,
    idOf: ({ id }) => id,
    limit: LIMIT,
    isHeld: true,
  })
  return (
    <Screen title={t.nav.events}>
      <Filters isSet={isFiltered(search)} onClear={() => void navigate({ search: {} })}>
        <EventFilters search={search} filter={filter} />
      </Filters>
      <NewRows text={newCount === 0 ? undefined : t.events.more(newCount, newCount < LIMIT)} onShow={release} />
      <Region query={query}>
        {({ events, next_cursor }) => (
          <>
            {events.length === 0 && next_cursor === null ? (
              <Empty text={isFiltered(search) ? t.events.noMatch : t.events.none} />
            ) : (
              <Table
                caption={t.nav.events}
                columns={COLUMNS}
                rows={rows}
                rowKey={({ id }) => id}
                isStale={query.isPlaceholderData}
              />
            )}
            <CursorPages
              count={t.events.onPage(rows.length)}
              cursor={cursor}
              // The next page follows what is on screen, not what waits.
              next={newCount === 0 ? next_cursor : (rows.at(-1)?.id ?? next_cursor)}
              onPage={(next) => filter({ cursor: next })}
            />
          </>
        )}
      </Region>
    </Screen>
  )
}

function EventFilters({ search, filter }: { search: EventsSearch; filter: (change: Partial<EventsSearch>) => void }) {
  return (
    <>
      <Select
        label={t.webhooks.topic}
        options={TOPIC_OPTIONS}
        value={search.event ?? 'all'}
        onChange={(value) => filter({ event: topicOf(value) })}
      />
      <DayFilter label={t.webhooks.since} value={search.since} onFilter={(since) => filter({ since })} />
      <DayFilter label={t.webhooks.until} value={search.until} onFilter={(until) => filter({ until })} />
    </>
  )
}

const COLUMNS: Column<Event>[] = [
  { id: 'at', header: t.events.at, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'topic', header: t.webhooks.topic, cell: ({ event }) => event },
  { id: 'about', header: t.events.about, isWide: true, cell: ({ data }) => <Value text={aboutOf(data)} /> },
  {
    id: 'id',
    header: t.events.id,
    cell: ({ id }) => (
      <Link to="/events/$id" params={{ id }}>
        <code>{id}</code>
      </Link>
    ),
  },
]

const NAMES = ['order_tenant_id', 'product_name', 'name', 'barcode'] as const

/** What people call the record of an event. */
function aboutOf(data: Event['data']): string | undefined {
  const fields: Readonly<Record<string, unknown>> = data
  return NAMES.map((name) => fields[name]).find((value): value is string => typeof value === 'string' && value !== '')
}
