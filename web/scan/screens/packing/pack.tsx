import type { Tile } from '../../app/screen.ts'
import { OrdersToPack } from './orders-to-pack.tsx'
import { Packing } from './packing.tsx'

/** Packing: which order, or one of them. */
export default function Pack({ record }: { tile: Tile; record?: number | undefined }) {
  return record === undefined ? <OrdersToPack /> : <Packing orderId={record} />
}
