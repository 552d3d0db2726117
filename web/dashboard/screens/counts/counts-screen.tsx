import type { CountSummary } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ExportButton } from '../../kit/export-button.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { ListScreen } from '../../kit/list-screen.tsx'
import { OptionFilter } from '../../kit/option-filter.tsx'
import { ProgressBar } from '../../kit/progress-bar.tsx'
import type { Column } from '../../kit/table.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { useWarehouses } from '../../kit/use-warehouses.ts'
import { WarehouseSelect } from '../../kit/warehouse-select.tsx'
import { type Filter, filterBy } from '../../search-parameters.ts'
import { CountState } from './count-state.tsx'
import { COUNT_STATES, type CountsSearch } from './counts-search.ts'

const LIMIT = 50

/** Counts, newest first. */
export function CountsScreen() {
  const search = useSearch({ from: '/frame/counts' })
  const navigate = useNavigate({ from: '/counts' })
  const { page = 1, ...filters } = search
  const filter = filterBy(navigate)
  const query = useRead(['counts', search], (api, options) => api.counts.list({ ...filters, page, limit: LIMIT }, options), {
    isMain: true,
  })
  const { nameOf } = useWarehouses()
  return (
    <ListScreen
      title={t.nav.counts}
      texts={t.counts}
      search={search}
      onClear={() => void navigate({ search: {} })}
      onPage={(next) => filter({ page: next })}
      query={query}
      rowsOf={({ counts }) => counts}
      columns={columns(nameOf)}
      exportButton={<ExportButton resource="counts" query={filters} scope="read:stock" />}
      newButton={<NewCount />}
    >
      <CountFilters search={search} filter={filter} />
    </ListScreen>
  )
}

function NewCount() {
  return (
    <ButtonLink to="/counts/new" kind="primary" scope="write:stock">
      {t.counts.new}
    </ButtonLink>
  )
}

function CountFilters({ search, filter }: { search: CountsSearch; filter: Filter<CountsSearch> }) {
  return (
    <>
      <OptionFilter
        label={t.orders.state}
        any={t.counts.anyState}
        values={COUNT_STATES}
        labelOf={(state) => t.counts.states[state]}
        value={search.state}
        onFilter={(state) => filter({ state })}
      />
      <WarehouseSelect
        none={t.counts.anyWarehouse}
        value={search.warehouse_id}
        onWarehouse={(warehouse_id) => filter({ warehouse_id })}
      />
      <FilterField
        label={t.receiving.reference}
        size="narrow"
        value={search.reference}
        onFilter={(reference, isMore) => filter({ reference }, isMore)}
      />
    </>
  )
}

const columns = (nameOf: (id: number) => string): Column<CountSummary>[] => [
  {
    id: 'id',
    header: t.orders.id,
    isNumber: true,
    cell: ({ id }) => (
      <Link to="/counts/$id" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  { id: 'reference', header: t.receiving.reference, isWide: true, cell: ({ reference }) => <Value text={reference} /> },
  { id: 'state', header: t.orders.state, cell: ({ state }) => <CountState state={state} /> },
  { id: 'warehouse', header: t.locations.warehouse, isWide: true, cell: ({ warehouse_id }) => nameOf(warehouse_id) },
  { id: 'blind', header: t.counts.blind, cell: ({ blind }) => (blind ? t.counts.yes : t.counts.no) },
  {
    id: 'counted',
    header: t.counts.counted,
    isNumber: true,
    cell: ({ lines_counted, lines_total }) => t.counts.countedOf(formatNumber(lines_counted), formatNumber(lines_total)),
  },
  {
    id: 'bar',
    header: t.orders.progress,
    cell: ({ id, lines_counted, lines_total }) => (
      <ProgressBar label={t.counts.progressOf(String(id))} value={lines_counted} max={lines_total} />
    ),
  },
  {
    id: 'different',
    header: t.counts.different,
    isNumber: true,
    cell: ({ lines_different }) => <Value text={lines_different === null ? null : formatNumber(lines_different)} />,
  },
  { id: 'created', header: t.orders.created, cell: ({ created_at }) => <Time at={created_at} /> },
]
