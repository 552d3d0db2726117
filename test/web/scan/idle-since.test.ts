import { expect, it } from 'vitest'
import { idleSince } from '../../../web/scan/app/idle-since.ts'

const NOW = Date.parse('2026-11-27T06:00:00Z')
const MINUTE_MS = 60_000

it.for([
  ['an earlier time', String(NOW - 12 * 60 * MINUTE_MS), 12 * 60],
  ['a time of the future, after which the clock was set back', String(NOW + 90 * MINUTE_MS), 90],
  ['no time, as at the first start', null, 0],
  ['something else', 'yesterday', 0],
] as const)('after a restart, %s tells how long nobody has used the app', ([, usedAt, minutes]) => {
  expect(idleSince(usedAt, NOW)).toBe(minutes * MINUTE_MS)
})
