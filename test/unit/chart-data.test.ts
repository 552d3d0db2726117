import { expect, it } from 'vitest'
import { highestOf } from '../../web/dashboard/charts/chart-data.ts'

it('the most that a chart shows is known of any number of points', () => {
  const points = Array.from({ length: 500_000 }, (_, at) => ({ id: String(at), label: '', short: '', values: [at, 1] }))
  expect(highestOf({ kind: 'bars', series: [], points })).toBe(500_000)
  expect(highestOf({ kind: 'line', series: [], points, threshold: { value: 600_000, label: '' } })).toBe(600_000)
  expect(highestOf({ kind: 'line', series: [], points: [] })).toBe(1)
})
