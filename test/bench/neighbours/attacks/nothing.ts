import type { Attack } from '../attack.ts'

/** No attack. The ratio of this row is the noise of the measurement; lower ratios of attacks are not significant. */
export const nothing: Attack = {
  name: 'nothing',
  title: 'no attack: the noise of the measurement',
  run: (flood) => flood.pause(60_000),
}
