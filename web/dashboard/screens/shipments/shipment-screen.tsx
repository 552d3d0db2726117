import type { Package, PackageLine, Shipment } from '@fulfillment/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { OrderLink, ProductLink } from '../../kit/record-link.tsx'
import { Region } from '../../kit/region.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { useWarehouses } from '../../kit/use-warehouses.ts'
import { nameOfShipment, ShipmentActions } from './shipment-actions.tsx'
import { ShipmentState } from './shipment-state.tsx'
import { TrackPackage } from './track-package.tsx'

/** One shipment: its packages, what is in them and how they travel. */
export function ShipmentScreen() {
  const { id } = useParams({ from: '/frame/shipments/$id' })
  const query = useRead(['shipment', id], (api, options) => api.shipments.get(Number(id), options), { isMain: true, keep: false })
  const { nameOf } = useWarehouses()
  const shipment = query.data
  return (
    <Screen
      title={t.shipments.one(shipment === undefined ? id : nameOfShipment(shipment))}
      mark={shipment && <ShipmentState state={shipment.state} />}
      actions={shipment && <ShipmentActions shipment={shipment} />}
    >
      <Region query={query} missing={t.shipments.missing(id)}>
        {(loaded) => (
          <>
            <Facts facts={factsOf(loaded, nameOf(loaded.warehouse_id))} />
            <Packages shipment={loaded} />
          </>
        )}
      </Region>
    </Screen>
  )
}

const factsOf = (shipment: Shipment, warehouse: string) => [
  { name: t.shipments.order, value: <OrderLink id={shipment.order_id}>{shipment.order_tenant_id}</OrderLink> },
  { name: t.shipments.warehouse, value: warehouse },
  { name: t.stock.quantity, value: formatNumber(shipment.total_quantity) },
  { name: t.orders.created, value: <Time at={shipment.created_at} /> },
  { name: t.shipments.shippedAt, value: <Time at={shipment.shipped_at} /> },
  { name: t.shipments.deliveredAt, value: <Time at={shipment.delivered_at} /> },
  ...(shipment.cancelled_at === null
    ? []
    : [
        { name: t.picking.cancelled, value: <Time at={shipment.cancelled_at} /> },
        { name: t.picking.reason, value: <Value text={shipment.cancellation_reason} /> },
      ]),
]

/** The packages. The names of what is in them are those of the order's lines. */
function Packages({ shipment }: { shipment: Shipment }) {
  const { packages, order_id } = shipment
  const { data } = useRead(['order', String(order_id)], (api, options) => api.orders.get(order_id, options))
  const names = new Map(data?.order_detail.map((line) => [line.id, line.product_name]))
  if (packages.length === 0) return <p>{t.shipments.noPackages}</p>
  return packages.map((each) => <PackageSection key={each.number} shipment={shipment} each={each} names={names} />)
}

interface PackageProps {
  shipment: Shipment
  each: Package
  names: ReadonlyMap<number, string>
}

function PackageSection({ shipment, each, names }: PackageProps) {
  const [isTracking, setTracking] = useState(false)
  return (
    <Section
      title={t.shipments.package(each.number)}
      actions={
        <Button
          kind="quiet"
          scope="write:orders"
          isDisabled={shipment.state === 'cancelled'}
          aria-label={t.shipments.trackingOf(each.number)}
          onPress={() => setTracking(true)}
        >
          {t.shipments.tracking}
        </Button>
      }
    >
      <Facts facts={factsOfPackage(each)} />
      <Table caption={t.shipments.contentOf(each.number)} columns={columnsOf(names)} rows={each.lines} rowKey={keyOf} />
      {isTracking && <TrackPackage shipment={shipment} each={each} onClose={() => setTracking(false)} />}
    </Section>
  )
}

const factsOfPackage = (each: Package) => [
  { name: t.shipments.carrier, value: <Value text={each.carrier} /> },
  { name: t.shipments.trackingNumber, value: <Value text={each.tracking_number} /> },
  { name: t.shipments.track, value: <Address url={each.tracking_url} text={each.tracking_url} /> },
  { name: t.shipments.weight, value: each.weight === null ? <None /> : `${formatNumber(each.weight)} ${t.units.kg}` },
  { name: t.shipments.size, value: <Value text={sizeOf(each)} /> },
  { name: t.shipments.label, value: <Address url={each.label_url} text={t.shipments.openLabel} /> },
]

const sizeOf = ({ width, height, depth }: Package): string | undefined =>
  [width, height, depth].every((measure) => measure === null)
    ? undefined
    : `${[width, height, depth].map((measure) => (measure === null ? '–' : formatNumber(measure))).join(' × ')} ${t.units.cm}`

/** A link out of the dashboard. The server takes http and https alone. */
function Address({ url, text }: { url: string | null; text: string | null }) {
  if (url === null) return <None />
  return (
    <a href={url} rel="noreferrer noopener" target="_blank">
      {text}
    </a>
  )
}

const keyOf = ({ order_detail_id, product_id, quantity }: PackageLine): string => `${order_detail_id} ${product_id} ${quantity}`

const columnsOf = (names: ReadonlyMap<number, string>): Column<PackageLine>[] => [
  {
    id: 'product',
    header: t.orders.product,
    isWide: true,
    cell: ({ order_detail_id, product_id }) => (
      <ProductLink id={product_id}>{names.get(order_detail_id) ?? product_id}</ProductLink>
    ),
  },
  { id: 'line', header: t.shipments.line, isNumber: true, cell: ({ order_detail_id }) => order_detail_id },
  { id: 'quantity', header: t.stock.quantity, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
]
