import { Link } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useScope } from '../../data/session.tsx'
import { ReservationsLink } from '../../kit/record-link.tsx'
import styles from './orders.module.css'

interface RemedyLinksProps {
  productId: number
  /** Of the product. */
  name: string
  hasReservations?: boolean
  hasLocations?: boolean
}

/** Links to the screens where the reason that blocks an order can be mended, those that the key can read. */
export function RemedyLinks({ productId, name, hasReservations = false, hasLocations = false }: RemedyLinksProps) {
  const canReadProducts = useScope('read:products')
  const canReadStock = useScope('read:stock')
  return (
    <p className={styles.remedies}>
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
