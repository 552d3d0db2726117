import type { LineToPick } from '@fulfillment/sdk'
import { exact } from '../../shared/exact.ts'

type Bounds = Pick<LineToPick, 'quantity' | 'minimum_quantity' | 'maximum_quantity'>

/** What is left to pick of a line of which `picked` is picked: nothing from its lower bound on. */
export const leftOf = ({ quantity, minimum_quantity: least = quantity }: Bounds, picked: number): number =>
  picked >= least ? 0 : exact(quantity - picked)

/** What the line can still take: up to its upper bound. */
export const roomOf = ({ quantity, maximum_quantity: most = quantity }: Bounds, picked: number): number =>
  Math.max(0, exact(most - picked))

/** What has to be added to `picked` for the line to be fulfilled. */
export const missingOf = ({ quantity, minimum_quantity: least = quantity }: Bounds, picked: number): number =>
  Math.max(0, exact(least - picked))
