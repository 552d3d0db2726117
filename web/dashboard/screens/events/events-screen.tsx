import type { Event } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { CursorTable } from '../../kit/cursor-table.tsx'
import { DayFilter } from '../../kit/filter-field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Id } from '../../kit/id.tsx'
import { Empty } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import type { Column } from '../../kit/table.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { TopicFilter } from '../../kit/topic-filter.tsx'
import { type Filter, filterBy, isFiltered } from '../../search-parameters.ts'
import type { EventsSearch } from './events-search.ts'

const LIMIT = 50
const EVERY_MS = 3_000

/** The feed of events, newest first. It is read again and again; new events wait until somebody asks for them. */
export function EventsScreen() {
  const search = useSearch({ from: '/frame/events' })
  const navigate = useNavigate({ from: '/events' })
  const { cursor } = search
  const filter = filterBy(navigate)
  const query = useRead(
    ['events', search],
    (api, options) => api.events.list({ ...search, order: 'desc', limit: LIMIT }, options),
    // Older pages do not change.
    { isMain: true, ...(cursor === undefined ? { everyMs: EVERY_MS } : {}) },
  )
  return (
    <Screen title={t.nav.events}>
      <Filters isSet={isFiltered(search)} onClear={() => void navigate({ search: {} })}>
        <EventFilters search={search} filter={filter} />
      </Filters>
      <CursorTable
        query={query}
        caption={t.nav.events}
        columns={COLUMNS}
        rowsOf={({ events }) => events}
        rowKey={({ id }) => id}
        limit={LIMIT}
        news={{ list: JSON.stringify(search), text: t.events.more }}
        count={t.events.onPage}
        empty={<Empty text={isFiltered(search) ? t.events.noMatch : t.events.none} />}
        cursor={cursor}
        cursorAfter={({ id }) => id}
        onPage={(next) => filter({ cursor: next })}
      />
    </Screen>
  )
}

function EventFilters({ search, filter }: { search: EventsSearch; filter: Filter<EventsSearch> }) {
  return (
    <>
      <TopicFilter value={search.event} onFilter={(event) => filter({ event })} />
      <DayFilter label={t.webhooks.since} value={search.since} onFilter={(since, isMore) => filter({ since }, isMore)} />
      <DayFilter label={t.webhooks.until} value={search.until} onFilter={(until, isMore) => filter({ until }, isMore)} />
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
        <Id id={id} />
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
