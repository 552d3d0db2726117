import type { InboundDeliverySummary } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { FilterField } from '../../kit/filter-field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { ProgressBar } from '../../kit/progress-bar.tsx'
import { Empty } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { Select } from '../../kit/select.tsx'
import type { Column } from '../../kit/table.tsx'
import { Day, None, Time, Value } from '../../kit/time.tsx'
import { type Filter, isFiltered } from '../../search-parameters.ts'
import { DeliveryState } from './delivery-state.tsx'
import { INBOUND_STATES, type InboundSearch, type InboundState } from './inbound-search.ts'

const LIMIT = 50

const STATES = [
  { value: 'all', label: t.inbound.anyState },
  ...INBOUND_STATES.map((value) => ({ value, label: t.inbound.states[value] })),
]

/** Expected deliveries, newest first. */
export function InboundScreen() {
  const search = useSearch({ from: '/frame/inbound' })
  const navigate = useNavigate({ from: '/inbound' })
  const { page = 1, ...filters } = search
  const filter: Filter<InboundSearch> = (change, isMore = false) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...change }), replace: isMore })
  const query = useRead(['inbound', search], (api, options) => api.inbound.list({ ...filters, page, limit: LIMIT }, options), {
    isMain: true,
  })
  return (
    <Screen title={t.nav.inbound}>
      <Filters isSet={isFiltered(search)} onClear={() => void navigate({ search: {} })}>
        <Select
          label={t.orders.state}
          options={STATES}
          value={search.state ?? 'all'}
          onChange={(value) => filter({ state: value === 'all' ? undefined : (value as InboundState) })}
        />
        <FilterField
          label={t.inbound.reference}
          size="narrow"
          value={search.reference}
          onFilter={(reference, isMore) => filter({ reference }, isMore)}
        />
      </Filters>
      <PagedTable
        query={query}
        caption={t.nav.inbound}
        columns={COLUMNS}
        rowsOf={({ inbound }) => inbound}
        rowKey={({ id }) => id}
        news={{ list: JSON.stringify(search), text: t.inbound.more }}
        total={t.inbound.total}
        empty={<Empty text={isFiltered(search) ? t.inbound.noMatch : t.inbound.none} />}
        page={page}
        onPage={(next) => filter({ page: next })}
      />
    </Screen>
  )
}

const COLUMNS: Column<InboundDeliverySummary>[] = [
  {
    id: 'id',
    header: t.orders.id,
    isNumber: true,
    cell: ({ id }) => (
      <Link to="/inbound/$id" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  { id: 'reference', header: t.inbound.reference, isWide: true, cell: ({ reference }) => <Value text={reference} /> },
  { id: 'supplier', header: t.inbound.supplier, isWide: true, cell: ({ supplier }) => <Value text={supplier} /> },
  { id: 'state', header: t.orders.state, cell: ({ state }) => <DeliveryState state={state} /> },
  {
    id: 'expected',
    header: t.inbound.expectedAt,
    cell: ({ expected_at }) => (expected_at === null ? <None /> : <Day date={expected_at} />),
  },
  {
    id: 'received',
    header: t.inbound.received,
    isNumber: true,
    cell: ({ total_received, total_quantity }) => t.inbound.of(formatNumber(total_received), formatNumber(total_quantity)),
  },
  {
    id: 'bar',
    header: t.orders.progress,
    cell: ({ id, total_received, total_quantity }) => (
      <ProgressBar label={t.inbound.progressOf(String(id))} value={total_received} max={total_quantity} />
    ),
  },
  { id: 'created', header: t.orders.created, cell: ({ created_at }) => <Time at={created_at} /> },
]
