import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useScope } from '../data/session.tsx'

interface Props {
  id: number
  children: ReactNode
  /** In a grid one cell is in the order of Tab, not what is in the cells. */
  tabIndex?: number
}

/** A product as a link to its screen; plain text for a key that cannot read it. */
export function ProductLink({ id, ...rest }: Props) {
  const canRead = useScope('read:products')
  return canRead ? <Link to="/products/$id" params={{ id: String(id) }} {...rest} /> : rest.children
}

/** An order as a link to its screen; plain text for a key that cannot read it. */
export function OrderLink({ id, ...rest }: Props) {
  const canRead = useScope('read:orders')
  return canRead ? <Link to="/orders/$id" params={{ id: String(id) }} {...rest} /> : rest.children
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

interface ReservationsProps {
  /** The filters of the list. */
  of: { product_id?: number; warehouse_id?: number; order_id?: number; hold_id?: number }
  children: ReactNode
  /** What the link leads to, where its text is a number. */
  label?: string
  tabIndex?: number
}

/** A link to who has reserved something; plain text for a key that cannot read it. */
export function ReservationsLink({ of, label, children, ...rest }: ReservationsProps) {
  const canRead = useScope('read:stock')
  return canRead ? (
    <Link to="/reservations" search={of} aria-label={label} {...rest}>
      {children}
    </Link>
  ) : (
    children
  )
}
