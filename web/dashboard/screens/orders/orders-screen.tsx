import type { OrderSummary } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { CheckboxGroup } from '../../kit/choices.tsx'
import { DayFilter, FilterField } from '../../kit/filter-field.tsx'
import { ExportButton } from '../../kit/export-button.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { ListScreen } from '../../kit/list-screen.tsx'
import { OptionFilter } from '../../kit/option-filter.tsx'
import { ORDER_STATES, OrderState, type OrderStateId } from '../../kit/order-state.tsx'
import { RESERVATION_STATUSES, ReservationStatus } from '../../kit/reservation-status.tsx'
import type { Column } from '../../kit/table.tsx'
import { Day, Time, Value } from '../../kit/time.tsx'
import { type Filter, filterBy } from '../../search-parameters.ts'
import type { OrdersSearch } from './orders-search.ts'

const LIMIT = 50

/** Orders, newest first. */
export function OrdersScreen() {
  const search = useSearch({ from: '/frame/orders' })
  const navigate = useNavigate({ from: '/orders' })
  const { state, assembly_date, assembly_until, from, to, customer, order_tenant_id, reservation_status, page = 1 } = search
  const filter = filterBy(navigate)
  const filters = {
    state_id: state,
    assembly_date,
    assembly_until,
    start_date: from,
    end_date: to,
    customer_name: customer,
    order_tenant_id,
    reservation_status,
  }
  const query = useRead(['orders', search], (api, options) => api.orders.list({ ...filters, page, limit: LIMIT }, options), {
    isMain: true,
  })
  const isReserving = query.data?.orders.some((order) => order.reservation_status !== undefined) ?? false
  return (
    <ListScreen
      title={t.nav.orders}
      texts={t.orders}
      search={search}
      onClear={() => void navigate({ search: {} })}
      onPage={(next) => filter({ page: next })}
      query={query}
      rowsOf={({ orders }) => orders}
      columns={isReserving ? COLUMNS : COLUMNS.filter((column) => column !== RESERVATION)}
      exportButton={<ExportButton resource="orders" query={filters} scope="read:orders" />}
      newButton={<NewOrder />}
    >
      <OrderFilters search={search} filter={filter} />
      {(isReserving || reservation_status !== undefined) && (
        <OptionFilter
          label={t.reservations.status}
          any={t.reservations.anyStatus}
          values={RESERVATION_STATUSES}
          labelOf={(status) => t.reservations.statuses[status]}
          value={reservation_status}
          onFilter={(status) => filter({ reservation_status: status })}
        />
      )}
    </ListScreen>
  )
}

function NewOrder() {
  return (
    <ButtonLink to="/orders/new" kind="primary" scope="write:orders">
      {t.orders.new}
    </ButtonLink>
  )
}

function OrderFilters({ search, filter }: { search: OrdersSearch; filter: Filter<OrdersSearch> }) {
  return (
    <>
      <FilterField
        label={t.orders.identifier}
        size="narrow"
        value={search.order_tenant_id}
        onFilter={(order_tenant_id, isMore) => filter({ order_tenant_id }, isMore)}
      />
      <FilterField
        label={t.orders.customer}
        size="narrow"
        value={search.customer}
        onFilter={(customer, isMore) => filter({ customer }, isMore)}
      />
      <DayFilter
        label={t.orders.assemblyDate}
        isCalendarDay
        value={search.assembly_date}
        onFilter={(assembly_date, isMore) => filter({ assembly_date }, isMore)}
      />
      <DayFilter
        label={t.orders.assemblyUntil}
        isCalendarDay
        value={search.assembly_until}
        onFilter={(assembly_until, isMore) => filter({ assembly_until }, isMore)}
      />
      <DayFilter label={t.orders.from} value={search.from} onFilter={(from, isMore) => filter({ from }, isMore)} />
      <DayFilter label={t.orders.to} value={search.to} onFilter={(to, isMore) => filter({ to }, isMore)} />
      <CheckboxGroup
        label={t.orders.state}
        options={ORDER_STATES.map((id) => ({ value: String(id), label: t.orders.states[id] }))}
        value={(search.state ?? []).map(String)}
        onChange={(chosen) => filter({ state: chosen.length === 0 ? undefined : chosen.map((id) => Number(id) as OrderStateId) })}
      />
    </>
  )
}

const RESERVATION: Column<OrderSummary> = {
  id: 'reservation',
  header: t.reservations.status,
  cell: ({ reservation_status }) => <ReservationStatus status={reservation_status} />,
}

const COLUMNS: Column<OrderSummary>[] = [
  {
    id: 'order_tenant_id',
    header: t.orders.identifier,
    isWide: true,
    cell: ({ id, order_tenant_id }) => (
      <Link to="/orders/$id" params={{ id: String(id) }}>
        {order_tenant_id}
      </Link>
    ),
  },
  { id: 'id', header: t.orders.id, isNumber: true, cell: ({ id }) => id },
  { id: 'customer', header: t.orders.customer, isWide: true, cell: ({ customer_name }) => <Value text={customer_name} /> },
  { id: 'state', header: t.orders.state, cell: ({ state_id }) => <OrderState id={state_id} /> },
  RESERVATION,
  { id: 'date', header: t.orders.assemblyDate, cell: ({ assembly_date }) => <Day date={assembly_date} /> },
  { id: 'lines', header: t.orders.lines, isNumber: true, cell: ({ items_count }) => formatNumber(items_count) },
  { id: 'created', header: t.orders.created, cell: ({ created_at }) => <Time at={created_at} /> },
]
