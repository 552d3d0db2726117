import { t } from '../../shared/texts/texts.ts'
import { ProgressBar } from './progress-bar.tsx'

interface Line {
  product_name: string
  quantity: number
  picked_quantity: number
  /** Whether enough is picked, within the tolerance of the line. */
  is_fulfilled?: boolean | undefined
}

/** How much of an order line is picked. A line that is fulfilled with less than was ordered says so. */
export function LineProgress({ product_name: name, quantity, picked_quantity: picked, is_fulfilled: isFulfilled = false }: Line) {
  return (
    <span>
      <ProgressBar label={t.orders.pickedOf(name)} value={isFulfilled ? quantity : picked} max={quantity} />
      {isFulfilled && picked !== quantity && ` ${t.orders.fulfilled}`}
    </span>
  )
}
