import type { Order, Shipment } from '@fulfillment/sdk'
import { useState } from 'react'
import { ORDER_STATE } from '../../../shared/order-state.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { Region } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { ShipmentActions } from '../shipments/shipment-actions.tsx'
import { SHIPMENT_COLUMNS } from '../shipments/shipment-columns.tsx'
import { PackOrder } from './pack-order.tsx'

const LIMIT = 100

/** The shipments of an order, newest first: pack a further one, ship, deliver and cancel them. */
export function OrderShipments({ order }: { order: Order }) {
  const [isPacking, setPacking] = useState(false)
  const query = useRead(['shipments', 'order', order.id], (api, options) =>
    api.shipments.list({ order_id: order.id, limit: LIMIT }, options),
  )
  const { data } = query
  return (
    <Section
      title={t.nav.shipments}
      actions={
        <Button
          scope="write:orders"
          isDisabled={order.state_id === ORDER_STATE.cancelled || data === undefined}
          onPress={() => setPacking(true)}
        >
          {t.shipments.pack}
        </Button>
      }
    >
      <Region query={query} rows={2}>
        {({ shipments, pagination: { total } }) =>
          total === 0 ? (
            <p>{t.shipments.none}</p>
          ) : (
            <>
              <Table caption={t.nav.shipments} columns={COLUMNS} rows={shipments} rowKey={({ id }) => id} />
              <p>{t.shipments.last(shipments.length, total)}</p>
            </>
          )
        }
      </Region>
      {isPacking && data !== undefined && (
        <PackOrder order={order} shipments={data.shipments} onClose={() => setPacking(false)} />
      )}
    </Section>
  )
}

const COLUMNS: Column<Shipment>[] = [
  ...SHIPMENT_COLUMNS.head,
  ...SHIPMENT_COLUMNS.content,
  { id: 'actions', header: t.picking.actions, cell: (shipment) => <ShipmentActions shipment={shipment} isQuiet /> },
]
