import type { ReturnSummary } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ExportButton } from '../../kit/export-button.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { OrderLink } from '../../kit/record-link.tsx'
import { Empty } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import type { Column } from '../../kit/table.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { RECEIVED_COLUMNS } from '../../receiving/line-columns.tsx'
import { ReceivingState, ReceivingStateFilter } from '../../receiving/receiving-state.tsx'
import { filterBy, idOf, isFiltered } from '../../search-parameters.ts'
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
  const isEmpty = query.data?.pagination.total === 0 && !isFiltered(search)
  return (
    <Screen
      title={t.nav.returns}
      actions={
        !isEmpty && (
          <>
            <ExportButton resource="returns" query={filters} scope="read:orders" />
            <NewReturn />
          </>
        )
      }
    >
      <Filters isSet={isFiltered(search)} onClear={() => void navigate({ search: {} })}>
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
      </Filters>
      <PagedTable
        query={query}
        caption={t.nav.returns}
        columns={COLUMNS}
        rowsOf={({ returns }) => returns}
        rowKey={({ id }) => id}
        news={{ list: JSON.stringify(search), text: t.returns.more }}
        total={t.returns.total}
        empty={
          isEmpty ? (
            <Empty text={t.returns.none}>
              <NewReturn />
            </Empty>
          ) : (
            <Empty text={t.returns.noMatch} />
          )
        }
        page={page}
        onPage={(next) => filter({ page: next })}
      />
    </Screen>
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
