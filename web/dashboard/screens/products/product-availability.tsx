import type { Availability, ProductAvailability as InWarehouse, ProductWithStock } from '@fulfillment/sdk'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useScope } from '../../data/session.tsx'
import { useRead } from '../../data/use-read.ts'
import { ReservationsLink } from '../../kit/record-link.tsx'
import { Region } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Day, None } from '../../kit/time.tsx'

const LIMIT = 100

/** A warehouse, or all of them together. */
type Row = Availability & Partial<Pick<InWarehouse, 'warehouse_id' | 'warehouse_name' | 'next_expected_at'>>

/** What can be promised of a product, by warehouse; nothing while the tenant does not reserve. */
export function ProductAvailability({ product }: { product: ProductWithStock }) {
  const { id, name, availability } = product
  const canRead = useScope('read:stock')
  const isShown = availability !== undefined
  const query = useRead(
    ['stock', 'availability', id],
    (api, options) => api.stock.availability({ product_id: id, limit: LIMIT }, options),
    { enabled: isShown && canRead, showsOrders: () => true },
  )
  if (!isShown) return null
  const everywhere: Row = availability
  return (
    <Section title={t.availability.title}>
      {canRead ? (
        <Region query={query} rows={2}>
          {({ availability: rows, pagination: { total } }) => (
            <>
              <AvailabilityTable product={{ id, name }} rows={total === 1 ? rows : [...rows, everywhere]} />
              {rows.length < total && <p>{t.availability.first(rows.length, total)}</p>}
            </>
          )}
        </Region>
      ) : (
        <AvailabilityTable product={{ id, name }} rows={[everywhere]} />
      )}
      <p>{t.availability.text}</p>
    </Section>
  )
}

function AvailabilityTable({ product, rows }: { product: { id: number; name: string }; rows: readonly Row[] }) {
  return (
    <Table
      caption={t.availability.title}
      columns={columns(product)}
      rows={rows}
      rowKey={({ warehouse_id }) => warehouse_id ?? 'all'}
    />
  )
}

const columns = ({ id, name }: { id: number; name: string }): Column<Row>[] => [
  {
    id: 'warehouse',
    header: t.locations.warehouse,
    isWide: true,
    cell: ({ warehouse_name }) => warehouse_name ?? t.availability.everywhere,
  },
  numberColumn('on_hand', t.availability.onHand),
  numberColumn('unsellable', t.availability.unsellable),
  {
    id: 'reserved',
    header: t.availability.reserved,
    isNumber: true,
    cell: ({ reserved, warehouse_id }) => (
      <ReservationsLink
        of={{ product_id: id, ...(warehouse_id === undefined ? {} : { warehouse_id }) }}
        label={t.availability.reservedOf(reserved, name)}
      >
        {formatNumber(reserved)}
      </ReservationsLink>
    ),
  },
  numberColumn('held', t.availability.held),
  numberColumn('available', t.availability.available),
  numberColumn('backordered', t.availability.backordered),
  numberColumn('incoming', t.availability.incoming),
  {
    id: 'expected',
    header: t.availability.nextExpected,
    cell: ({ next_expected_at: day }) => (day === null || day === undefined ? <None /> : <Day date={day} />),
  },
]

const numberColumn = (id: keyof Availability, header: string): Column<Row> => ({
  id,
  header,
  isNumber: true,
  cell: (row) => formatNumber(row[id]),
})
