import { Random } from '../random.ts'

/** What becomes of an order. */
export type Fate = 'whole' | 'short' | 'put back' | 'cancelled'

const SHARES: readonly [Fate, number][] = [
  ['cancelled', 0.06],
  ['short', 0.1],
  ['put back', 0.05],
]

/** The fate of an order, whoever picks it and whenever. */
export function fateOf(seed: number, order: string): Fate {
  let rest = new Random(`${seed} fate of ${order}`).next()
  for (const [fate, share] of SHARES) {
    if (rest < share) return fate
    rest -= share
  }
  return 'whole'
}
