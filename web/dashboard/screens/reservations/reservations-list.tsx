import { useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { FilterField } from '../../kit/filter-field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { ProductFilter } from '../../kit/product-filter.tsx'
import { Empty } from '../../kit/region.tsx'
import { Select } from '../../kit/select.tsx'
import { useWarehouses } from '../../kit/use-warehouses.ts'
import { type Filter, filterBy, idOf, isFiltered } from '../../search-parameters.ts'
import { reservationColumns } from './reservation-columns.tsx'
import type { ReservationsSearch } from './reservations-search.ts'

const LIMIT = 50

/** Lines of open orders and of holds that have something reserved or wait for it, by product and in the order in which they are served. */
export function ReservationsList() {
  const search = useSearch({ from: '/frame/reservations' })
  const navigate = useNavigate({ from: '/reservations' })
  const { page = 1, product_id, warehouse_id, order_id, hold_id } = search
  const filter = filterBy(navigate)
  const query = useRead(
    ['reservations', search],
    (api, options) => api.stock.reservations({ product_id, warehouse_id, order_id, hold_id, page, limit: LIMIT }, options),
    { isMain: true },
  )
  const settings = useRead(['settings'], (api, options) => api.settings.get(options))
  const { nameOf } = useWarehouses()
  const isOff = settings.data?.reservation_policy === 'off'
  return (
    <>
      {settings.data?.reservation_state === 'switching' && <p role="status">{t.reservations.switching}</p>}
      <Filters isSet={isFiltered(search)} onClear={() => void navigate({ search: {} })}>
        <ReservationFilters search={search} filter={filter} />
      </Filters>
      <PagedTable
        query={query}
        caption={t.nav.reservations}
        columns={reservationColumns(nameOf)}
        rowsOf={({ reservations }) => reservations}
        rowKey={(row) => `${row.order_detail_id ?? ''} ${row.hold_id ?? ''} ${row.product_id}`}
        total={t.reservations.total}
        empty={isOff ? <IsOff /> : <Empty text={isFiltered(search) ? t.reservations.noMatch : t.reservations.none} />}
        page={page}
        onPage={(next) => filter({ page: next })}
      />
    </>
  )
}

function IsOff() {
  return (
    <Empty text={t.reservations.isOff}>
      <ButtonLink to="/settings">{t.reservations.toSettings}</ButtonLink>
    </Empty>
  )
}

function ReservationFilters({ search, filter }: { search: ReservationsSearch; filter: Filter<ReservationsSearch> }) {
  const { warehouses } = useWarehouses()
  const options = [
    { value: 'all', label: t.reservations.anyWarehouse },
    ...warehouses.map(({ id, name }) => ({ value: String(id), label: name })),
  ]
  return (
    <>
      <ProductFilter id={search.product_id} onId={(product_id) => filter({ product_id })} />
      <Select
        label={t.locations.warehouse}
        options={options}
        value={search.warehouse_id === undefined ? 'all' : String(search.warehouse_id)}
        onChange={(value) => filter({ warehouse_id: idOf(value) })}
      />
      <FilterField
        label={t.reservations.orderId}
        type="number"
        size="narrow"
        value={search.order_id?.toString()}
        onFilter={(text, isMore) => filter({ order_id: idOf(text) }, isMore)}
      />
      <FilterField
        label={t.reservations.holdId}
        type="number"
        size="narrow"
        value={search.hold_id?.toString()}
        onFilter={(text, isMore) => filter({ hold_id: idOf(text) }, isMore)}
      />
    </>
  )
}
