import type { ReturnSummary } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ExportButton } from '../../kit/export-button.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { ListScreen } from '../../kit/list-screen.tsx'
import { OrderLink } from '../../kit/record-link.tsx'
import type { Column } from '../../kit/table.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { RECEIVED_COLUMNS } from '../../receiving/line-columns.tsx'
import { ReceivingState, ReceivingStateFilter } from '../../receiving/receiving-state.tsx'
import { filterBy, idOf } from '../../search-parameters.ts'
import { RETURN_LINK } from './return-columns.tsx'

const LIMIT = 50

/** Returns, newest first. */
export function ReturnsScreen() {
  const search = useSearch({ from: '/frame/returns' })
  const navigate = useNavigate({ from: '/returns' })
  const { page = 1, ...filters } = search
  const filter = filterBy(navigate)
  const query = useRead(['returns', search], (api, options) => api.returns.list({ ...filters, page, limit: LIMIT }, options), {
    isMain: true,
  })
  return (
    <ListScreen
      title={t.nav.returns}
      texts={t.returns}
      search={search}
      onClear={() => void navigate({ search: {} })}
      onPage={(next) => filter({ page: next })}
      query={query}
      rowsOf={({ returns }) => returns}
      columns={COLUMNS}
      exportButton={<ExportButton resource="returns" query={filters} scope="read:orders" />}
      newButton={<NewReturn />}
    >
      <ReceivingStateFilter value={search.state} onFilter={(state) => filter({ state })} />
      <FilterField
        label={t.returns.orderId}
        type="number"
        size="narrow"
        value={search.order_id?.toString()}
        onFilter={(text, isMore) => filter({ order_id: idOf(text) }, isMore)}
      />
      <FilterField
        label={t.receiving.reference}
        size="narrow"
        value={search.reference}
        onFilter={(reference, isMore) => filter({ reference }, isMore)}
      />
    </ListScreen>
  )
}

function NewReturn() {
  return (
    <ButtonLink to="/returns/new" kind="primary" scope="write:orders">
      {t.returns.new}
    </ButtonLink>
  )
}

const COLUMNS: Column<ReturnSummary>[] = [
  RETURN_LINK,
  { id: 'reference', header: t.receiving.reference, isWide: true, cell: ({ reference }) => <Value text={reference} /> },
  {
    id: 'order',
    header: t.returns.order,
    isWide: true,
    cell: ({ order_id, order_tenant_id }) =>
      order_id === null ? <None /> : <OrderLink id={order_id}>{order_tenant_id}</OrderLink>,
  },
  { id: 'state', header: t.orders.state, cell: ({ state }) => <ReceivingState state={state} /> },
  { id: 'reason', header: t.returns.reason, isWide: true, cell: ({ reason }) => <Value text={reason} /> },
  ...RECEIVED_COLUMNS,
  { id: 'created', header: t.orders.created, cell: ({ created_at }) => <Time at={created_at} /> },
]
