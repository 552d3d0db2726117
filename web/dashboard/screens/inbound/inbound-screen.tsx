import type { InboundDeliverySummary } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ExportButton } from '../../kit/export-button.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { ListScreen } from '../../kit/list-screen.tsx'
import type { Column } from '../../kit/table.tsx'
import { Day, None, Time, Value } from '../../kit/time.tsx'
import { RECEIVED_COLUMNS } from '../../receiving/line-columns.tsx'
import { ReceivingState, ReceivingStateFilter } from '../../receiving/receiving-state.tsx'
import { filterBy } from '../../search-parameters.ts'

const LIMIT = 50

/** Expected deliveries, newest first. */
export function InboundScreen() {
  const search = useSearch({ from: '/frame/inbound' })
  const navigate = useNavigate({ from: '/inbound' })
  const { page = 1, ...filters } = search
  const filter = filterBy(navigate)
  const query = useRead(['inbound', search], (api, options) => api.inbound.list({ ...filters, page, limit: LIMIT }, options), {
    isMain: true,
  })
  return (
    <ListScreen
      title={t.nav.inbound}
      texts={t.inbound}
      search={search}
      onClear={() => void navigate({ search: {} })}
      onPage={(next) => filter({ page: next })}
      query={query}
      rowsOf={({ inbound }) => inbound}
      columns={COLUMNS}
      exportButton={<ExportButton resource="inbound" query={filters} scope="read:stock" />}
      newButton={<NewDelivery />}
    >
      <ReceivingStateFilter value={search.state} onFilter={(state) => filter({ state })} />
      <FilterField
        label={t.receiving.reference}
        size="narrow"
        value={search.reference}
        onFilter={(reference, isMore) => filter({ reference }, isMore)}
      />
    </ListScreen>
  )
}

function NewDelivery() {
  return (
    <ButtonLink to="/inbound/new" kind="primary" scope="write:stock">
      {t.inbound.new}
    </ButtonLink>
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
  { id: 'reference', header: t.receiving.reference, isWide: true, cell: ({ reference }) => <Value text={reference} /> },
  { id: 'supplier', header: t.inbound.supplier, isWide: true, cell: ({ supplier }) => <Value text={supplier} /> },
  { id: 'state', header: t.orders.state, cell: ({ state }) => <ReceivingState state={state} /> },
  {
    id: 'expected',
    header: t.receiving.expectedAt,
    cell: ({ expected_at }) => (expected_at === null ? <None /> : <Day date={expected_at} />),
  },
  ...RECEIVED_COLUMNS,
  { id: 'created', header: t.orders.created, cell: ({ created_at }) => <Time at={created_at} /> },
]
