import type { PickingRow } from '@fulfillment/sdk'
import { formatNumber } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { useRead } from '../data/use-read.ts'
import { Region } from '../kit/region.tsx'
import type { Point } from './chart-data.ts'
import { Chart } from './chart.tsx'
import { firstOfDays, pointOf, type Step, stepsSince } from './time-steps.ts'

const texts = t.charts.picking

/** The units that were picked: of today by hour, of more days by day. */
export function UnitsPicked({ days }: { days: number }) {
  const step: Step = days === 1 ? 'hour' : 'day'
  const since = firstOfDays(days)
  const query = useRead(['flows', 'report', step, since], (api, options) => api.reports.picking({ since, by: step }, options))
  return (
    <Region query={query}>
      {({ rows }) => {
        const points = pointsOf(rows, step, since)
        return (
          <Chart
            name={nameOf(points, days)}
            title={texts.units}
            isTitled
            pointHeader={step === 'hour' ? t.charts.hour : t.charts.day}
            data={{ kind: 'bars', series: [{ id: 'units', label: texts.units, tone: 'accent', pattern: 'solid' }], points }}
          />
        )
      }}
    </Region>
  )
}

function pointsOf(rows: readonly PickingRow[], step: Step, since: string): Point[] {
  const units = new Map(rows.map((row) => [row.at, row.units]))
  return stepsSince(step, since).map((at) => pointOf(step, at, [units.get(at) ?? 0]))
}

function nameOf(points: readonly Point[], days: number): string {
  const unitsOf = ({ values }: Point): number => values[0] ?? 0
  const total = points.reduce((sum, point) => sum + unitsOf(point) * 1_000, 0) / 1_000
  const most = points.reduce<Point | undefined>(
    (best, one) => (best === undefined || unitsOf(one) > unitsOf(best) ? one : best),
    undefined,
  )
  return texts.name(
    days === 1 ? texts.today : t.charts.days(days),
    formatNumber(total),
    most === undefined || total === 0 ? t.charts.nothing : texts.most(formatNumber(unitsOf(most)), most.label),
  )
}
