import type { Attack } from '../attack.ts'

/** No attack. What this row shows beside is the machine's noise, and what the others' ratios are worth. */
export const nothing: Attack = {
  name: 'nothing',
  title: 'no attack: the noise of the machine',
  run: (flood) => flood.pause(60_000),
}
