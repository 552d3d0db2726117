import type { Blocker, Reservation } from '@fulfillment/sdk'
import { formatDay } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { OrderLink, ReservationsLink } from '../../kit/record-link.tsx'
import { useWarehouses } from '../../kit/use-warehouses.ts'
import { ListedFact } from './listed-fact.tsx'
import styles from './orders.module.css'

type Backordered = Extract<Blocker, { code: 'backordered' }>

/** Who has what a line waits for, what is announced, and where else the product is. */
export function BackorderFacts({ blocker: { holders, incoming, elsewhere } }: { blocker: Backordered }) {
  const { nameOf } = useWarehouses()
  return (
    <dl className={styles.facts}>
      <ListedFact name={t.blockers.holders}>
        {holders.map((holder) => (
          <Holder key={`${holder.order_detail_id} ${holder.hold_id}`} holder={holder} />
        ))}
      </ListedFact>
      <ListedFact name={t.blockers.incoming}>{incoming.map(expected)}</ListedFact>
      <ListedFact name={t.blockers.elsewhere}>
        {elsewhere.map(({ warehouse_id, available }) => t.blockers.quantityIn(available, nameOf(warehouse_id)))}
      </ListedFact>
    </dl>
  )
}

function Holder({ holder: { order_id, order_tenant_id, hold_id, reserved_quantity: quantity } }: { holder: Reservation }) {
  if (order_id !== null)
    return <OrderLink id={order_id}>{t.blockers.quantityFor(quantity, t.blockers.order(order_tenant_id ?? ''))}</OrderLink>
  return hold_id === null ? null : (
    <ReservationsLink of={{ hold_id }}>{t.blockers.quantityFor(quantity, t.blockers.hold(hold_id))}</ReservationsLink>
  )
}

function expected({ inbound_id, reference, expected_at: day, quantity }: Backordered['incoming'][number]): string {
  const delivery = reference ?? t.blockers.delivery(inbound_id)
  return day === null ? t.blockers.quantityUndated(quantity, delivery) : t.blockers.quantityOn(quantity, delivery, formatDay(day))
}
