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
