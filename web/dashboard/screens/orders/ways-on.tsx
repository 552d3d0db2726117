import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useScope } from '../../data/session.tsx'
import { ReservationsLink } from '../../kit/record-link.tsx'
import styles from './orders.module.css'

interface WaysProps {
  productId: number
  /** Of the product. */
  name: string
  hasReservations?: boolean
  hasLocations?: boolean
}

/** Links to the screens where a reason can be mended, those that the key can read. */
export function WaysOn({ productId, name, hasReservations = false, hasLocations = false }: WaysProps) {
  const canReadProducts = useScope('read:products')
  const canReadStock = useScope('read:stock')
  return (
    <p className={styles.ways}>
      {canReadProducts && (
        <Link to="/products/$id" params={{ id: String(productId) }}>
          {t.blockers.stockOf(name)}
        </Link>
      )}
      {hasReservations && canReadStock && (
        <ReservationsLink of={{ product_id: productId }}>{t.reservations.of(name)}</ReservationsLink>
      )}
      {hasLocations && canReadStock && <Link to="/locations">{t.nav.locations}</Link>}
    </p>
  )
}

/** A location as a link to the stock that lies there; plain text for a key that cannot read it. */
export function LocationLink({ id, children }: { id: string; children: ReactNode }) {
  const canRead = useScope('read:stock')
  return canRead ? (
    <Link to="/stock" search={{ location: id }}>
      {children}
    </Link>
  ) : (
    children
  )
}
