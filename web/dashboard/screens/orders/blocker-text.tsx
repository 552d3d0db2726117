import type { Blocker, Order } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { LocationLink } from '../../kit/record-link.tsx'
import { BackorderFacts } from './backorder-facts.tsx'
import { ListedFact } from './listed-fact.tsx'
import { RemedyLinks } from './remedy-links.tsx'
import styles from './orders.module.css'

interface Props<Code extends Blocker['code'] = Blocker['code']> {
  order: Order
  blocker: Extract<Blocker, { code: Code }>
}

/** One reason why an order cannot be picked now, in a sentence, with what is known about it and the way to what would mend it. */
export function BlockerText({ order, blocker }: Props): ReactNode {
  if (blocker.code === 'flow_running') return <Running order={order} blocker={blocker} />
  if (blocker.code === 'backordered') return <Backordered order={order} blocker={blocker} />
  if (blocker.code === 'not_in_stock') return <NotInStock order={order} blocker={blocker} />
  // Of an order that is over nothing is said here.
  return blocker.code === 'not_pickable' && <NotPickable order={order} blocker={blocker} />
}

function Running({ blocker: { flow_id, operator_email } }: Props<'flow_running'>) {
  return (
    <p>
      {t.blockers.running(operator_email)}{' '}
      <Link to="/picking/$id" params={{ id: String(flow_id) }}>
        {t.blockers.flow(flow_id)}
      </Link>
    </p>
  )
}

function Backordered({ order, blocker }: Props<'backordered'>) {
  const { product_id, quantity } = blocker
  const name = nameOf(order, blocker)
  return (
    <>
      <p>{t.blockers.backordered(quantity, name)}</p>
      <BackorderFacts blocker={blocker} />
      <RemedyLinks productId={product_id} name={name} hasReservations />
    </>
  )
}

function NotInStock({ order, blocker }: Props<'not_in_stock'>) {
  const name = nameOf(order, blocker)
  return (
    <>
      <p>{t.blockers.notInStock(blocker.quantity, name)}</p>
      <RemedyLinks productId={blocker.product_id} name={name} />
    </>
  )
}

function NotPickable({ order, blocker }: Props<'not_pickable'>) {
  const name = nameOf(order, blocker)
  const places = blocker.locations.map(({ location_id, quantity }) => (
    <LocationLink key={location_id} id={location_id}>
      {t.blockers.quantityAt(quantity, location_id)}
    </LocationLink>
  ))
  return (
    <>
      <p>{t.blockers.notPickable(blocker.quantity, name)}</p>
      <dl className={styles.facts}>
        <ListedFact name={t.blockers.lies}>{places}</ListedFact>
      </dl>
      <RemedyLinks productId={blocker.product_id} name={name} hasLocations />
    </>
  )
}

const nameOf = ({ order_detail }: Order, { order_detail_id, product_id }: { order_detail_id: number; product_id: number }) =>
  order_detail.find(({ id }) => id === order_detail_id)?.product_name ?? t.blockers.product(product_id)
