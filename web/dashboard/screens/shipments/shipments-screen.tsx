import type { Shipment } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { FilterField } from '../../kit/filter-field.tsx'
import { ListScreen } from '../../kit/list-screen.tsx'
import { OptionFilter } from '../../kit/option-filter.tsx'
import { OrderLink } from '../../kit/record-link.tsx'
import type { Column } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { filterBy } from '../../search-parameters.ts'
import { SHIPMENT_COLUMNS } from './shipment-columns.tsx'
import { SHIPMENT_STATES } from './shipments-search.ts'

const LIMIT = 50

/** Shipments, newest first. */
export function ShipmentsScreen() {
  const search = useSearch({ from: '/frame/shipments' })
  const navigate = useNavigate({ from: '/shipments' })
  const { page = 1, ...filters } = search
  const filter = filterBy(navigate)
  const query = useRead(
    ['shipments', search],
    (api, options) => api.shipments.list({ ...filters, page, limit: LIMIT }, options),
    { isMain: true },
  )
  return (
    <ListScreen
      title={t.nav.shipments}
      texts={t.shipments}
      search={search}
      onClear={() => void navigate({ search: {} })}
      onPage={(next) => filter({ page: next })}
      query={query}
      rowsOf={({ shipments }) => shipments}
      columns={COLUMNS}
    >
      <OptionFilter
        label={t.orders.state}
        any={t.shipments.anyState}
        values={SHIPMENT_STATES}
        labelOf={(state) => t.shipments.states[state]}
        value={search.state}
        onFilter={(state) => filter({ state })}
      />
      <FilterField
        label={t.shipments.reference}
        size="narrow"
        value={search.reference}
        onFilter={(reference, isMore) => filter({ reference }, isMore)}
      />
      <FilterField
        label={t.shipments.trackingNumber}
        size="narrow"
        value={search.tracking_number}
        onFilter={(tracking_number, isMore) => filter({ tracking_number }, isMore)}
      />
    </ListScreen>
  )
}

const COLUMNS: Column<Shipment>[] = [
  ...SHIPMENT_COLUMNS.head,
  {
    id: 'order',
    header: t.shipments.order,
    isWide: true,
    cell: ({ order_id, order_tenant_id }) => <OrderLink id={order_id}>{order_tenant_id}</OrderLink>,
  },
  ...SHIPMENT_COLUMNS.content,
  { id: 'created', header: t.orders.created, cell: ({ created_at }) => <Time at={created_at} /> },
]
