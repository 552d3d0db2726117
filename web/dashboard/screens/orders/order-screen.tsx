import type { Order, PickingFlow } from '@fulfillment/sdk'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useScope } from '../../data/session.tsx'
import { useRead } from '../../data/use-read.ts'
import { MovementsOf } from '../../kit/movements-table.tsx'
import { isOpen, OrderState } from '../../kit/order-state.tsx'
import { Region } from '../../kit/region.tsx'
import { ReservationStatus } from '../../kit/reservation-status.tsx'
import { ShipmentStatus } from '../../kit/shipment-status.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Day, Time, Value } from '../../kit/time.tsx'
import { wasTaken } from '../returns/returnable-lines.ts'
import { EditOrder } from './edit-order.tsx'
import { OrderActions } from './order-actions.tsx'
import { OrderBlockers } from './order-blockers.tsx'
import { MAX_FLOWS, OrderLines } from './order-lines.tsx'
import { OrderReturns } from './order-returns.tsx'
import { OrderShipments } from './order-shipments.tsx'
import { OrderTimeline } from './order-timeline.tsx'

const LIMIT = 100

/** One order with its lines, what happened to it, its picking flows and movements. */
export function OrderScreen() {
  const { id } = useParams({ from: '/frame/orders/$id' })
  const query = useRead(['order', id], (api, options) => api.orders.get(Number(id), options), { isMain: true, keep: false })
  const [isEditing, setEditing] = useState(false)
  const order = query.data
  return (
    <Screen
      title={t.orders.one(order?.order_tenant_id ?? id)}
      mark={
        order && (
          <>
            <OrderState id={order.state_id} />
            {order.reservation_status && <ReservationStatus status={order.reservation_status} />}
            {order.shipment_status && <ShipmentStatus status={order.shipment_status} />}
          </>
        )
      }
      actions={order && <OrderActions order={order} onEdit={() => setEditing(true)} />}
    >
      <Region query={query} missing={t.orders.missing(id)}>
        {(loaded) => (
          <>
            {isEditing ? <EditOrder order={loaded} onClose={() => setEditing(false)} /> : <Facts facts={factsOf(loaded)} />}
            {isOpen(loaded) && <OrderBlockers order={loaded} />}
            <Section title={t.orders.linesTitle}>
              <OrderLines order={loaded} />
            </Section>
            <OrderTimeline order={loaded} />
            <Flows order={loaded} />
            {wasTaken(loaded) && <OrderReturns order={loaded} />}
            <OrderShipments order={loaded} />
            <Movements order={loaded} />
          </>
        )}
      </Region>
    </Screen>
  )
}

const factsOf = (order: Order) => [
  { name: t.orders.assemblyDate, value: <Day date={order.assembly_date} /> },
  { name: t.orders.customer, value: <Value text={order.customer_name} /> },
  { name: t.orders.address, value: <Value text={order.shipping_address} /> },
  { name: t.orders.id, value: order.id },
  { name: t.orders.created, value: <Time at={order.created_at} /> },
  { name: t.orders.updated, value: <Time at={order.updated_at} /> },
]

function Flows({ order: { id } }: { order: Order }) {
  const query = useRead(['flows', id], (api, options) => api.flows.list({ order_id: id, limit: MAX_FLOWS }, options))
  return (
    <Section title={t.orders.flows}>
      <Region query={query} rows={2}>
        {({ flows, pagination: { total } }) =>
          total === 0 ? (
            <p>{t.orders.noFlows}</p>
          ) : (
            <>
              <Table caption={t.orders.flows} columns={FLOW_COLUMNS} rows={flows} rowKey={(flow) => flow.id} />
              <p>{t.orders.lastFlows(flows.length, total)}</p>
            </>
          )
        }
      </Region>
    </Section>
  )
}

const FLOW_COLUMNS: Column<PickingFlow>[] = [
  {
    id: 'id',
    header: t.orders.id,
    isNumber: true,
    cell: ({ id }) => (
      <Link to="/picking/$id" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  { id: 'state', header: t.orders.state, cell: ({ state }) => t.orders.flowStates[state] },
  { id: 'operator', header: t.orders.operator, isWide: true, cell: ({ operator_email }) => operator_email },
  {
    id: 'picked',
    header: t.orders.picked,
    isNumber: true,
    cell: (flow) => `${formatNumber(flow.total_quantity_picked)} / ${formatNumber(flow.total_quantity)}`,
  },
  { id: 'started', header: t.orders.started, cell: ({ started_at }) => <Time at={started_at} /> },
  { id: 'ended', header: t.orders.ended, cell: ({ completed_at, cancelled_at }) => <Time at={completed_at ?? cancelled_at} /> },
]

function Movements({ order: { id } }: { order: Order }) {
  const canRead = useScope('read:stock')
  const query = useRead(
    ['movements', 'order', id],
    (api, options) => api.stock.movements({ order_id: id, limit: LIMIT }, options),
    { enabled: canRead },
  )
  if (!canRead) return null
  return (
    <Section title={t.nav.movements}>
      <Region query={query} rows={2}>
        {(found) =>
          found.pagination.total === 0 ? <p>{t.movements.noneOfOrder}</p> : <MovementsOf {...found} of={{ order_id: id }} />
        }
      </Region>
    </Section>
  )
}
