import type { InboundDelivery, InboundLine } from '@fulfillment/sdk'
import { useParams } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ProgressBar } from '../../kit/progress-bar.tsx'
import { ProductLink } from '../../kit/record-link.tsx'
import { Region } from '../../kit/region.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Day, None, Time, Value } from '../../kit/time.tsx'
import { DeliveryActions } from './delivery-actions.tsx'
import { DeliveryReceipts } from './delivery-receipts.tsx'
import { DeliveryState } from './delivery-state.tsx'

/** One delivery: what is expected, what came, and its receipts. */
export function InboundRecordScreen() {
  const { id } = useParams({ from: '/frame/inbound/$id' })
  const query = useRead(['inbound record', id], (api, options) => api.inbound.get(Number(id), options), {
    isMain: true,
    keep: false,
    isPending: ({ state }) => state === 'expected' || state === 'receiving',
  })
  const delivery = query.data
  return (
    <Screen
      title={t.inbound.one(delivery?.reference ?? id)}
      mark={delivery && <DeliveryState state={delivery.state} />}
      actions={delivery && <DeliveryActions delivery={delivery} />}
    >
      <Region query={query} missing={t.inbound.missing(id)}>
        {(loaded) => (
          <>
            <Facts facts={factsOf(loaded)} />
            <Section title={t.orders.linesTitle}>
              <Table caption={t.orders.linesTitle} columns={COLUMNS} rows={loaded.lines} rowKey={(line) => line.id} />
            </Section>
            <DeliveryReceipts delivery={loaded} />
          </>
        )}
      </Region>
    </Screen>
  )
}

const factsOf = (delivery: InboundDelivery) => [
  { name: t.inbound.supplier, value: <Value text={delivery.supplier} /> },
  { name: t.inbound.expectedAt, value: delivery.expected_at === null ? <None /> : <Day date={delivery.expected_at} /> },
  { name: t.inbound.warehouse, value: delivery.warehouse_id },
  { name: t.inbound.note, value: <Value text={delivery.note} /> },
  { name: t.inbound.allowOver, value: delivery.allow_over ? t.inbound.yes : t.inbound.no },
  { name: t.orders.created, value: <Time at={delivery.created_at} /> },
  ...(delivery.closed_at === null ? [] : [{ name: t.inbound.closedAt, value: <Time at={delivery.closed_at} /> }]),
  ...(delivery.cancelled_at === null
    ? []
    : [
        { name: t.picking.cancelled, value: <Time at={delivery.cancelled_at} /> },
        { name: t.picking.reason, value: <Value text={delivery.cancellation_reason} /> },
      ]),
]

const COLUMNS: Column<InboundLine>[] = [
  {
    id: 'product',
    header: t.orders.product,
    isWide: true,
    cell: ({ product_id, product_name }) => <ProductLink id={product_id}>{product_name}</ProductLink>,
  },
  { id: 'barcode', header: t.products.barcode, cell: ({ barcode }) => barcode },
  { id: 'quantity', header: t.inbound.announced, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
  {
    id: 'received',
    header: t.inbound.received,
    isNumber: true,
    cell: ({ received_quantity }) => formatNumber(received_quantity),
  },
  {
    id: 'bar',
    header: t.orders.progress,
    cell: ({ product_name, received_quantity, quantity }) => (
      <ProgressBar
        label={t.inbound.progressOf(product_name)}
        value={received_quantity}
        max={Math.max(quantity, received_quantity)}
      />
    ),
  },
]
