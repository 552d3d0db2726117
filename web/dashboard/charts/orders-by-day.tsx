import type { OrderDay } from '@fulfillment/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import { formatDay } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { useRead } from '../data/use-read.ts'
import { ORDER_STATES } from '../kit/order-state.tsx'
import { Region } from '../kit/region.tsx'
import { PATTERNS, type Point, type Series } from './chart-data.ts'
import { Chart } from './chart.tsx'
import { dayOf, firstOfDays, pointOf, stepsSince } from './time-steps.ts'

const DAYS = 30
const TONES = { 1: 'state1', 2: 'state2', 3: 'state3', 5: 'state5', 7: 'state7' } as const
const SERIES: Series[] = ORDER_STATES.map((id, index) => ({
  id: String(id),
  label: t.orders.states[id],
  tone: TONES[id],
  pattern: PATTERNS[index] ?? 'solid',
}))

/** Orders of the last 30 days by the day of their creation and by state; a bar leads to the orders of its day. */
export function OrdersByDay() {
  const navigate = useNavigate()
  const since = firstOfDays(DAYS)
  const query = useRead(['orders', 'report', since], (api, options) => api.reports.orders({ since }, options))
  const search = ({ id }: Point) => ({ from: dayOf(id), to: dayOf(id) })
  return (
    <Region query={query}>
      {({ days }) => {
        const points = pointsOf(days, since)
        return (
          <Chart
            name={nameOf(points)}
            title={t.charts.orders.table}
            pointHeader={t.charts.day}
            data={{ kind: 'bars', series: SERIES, points }}
            onOpen={(point) => void navigate({ to: '/orders', search: search(point) })}
            renderPoint={(point) => (
              <Link to="/orders" search={search(point)}>
                {point.label}
              </Link>
            )}
          />
        )
      }}
    </Region>
  )
}

function pointsOf(days: readonly OrderDay[], since: string): Point[] {
  const byDate = new Map(days.map(({ date, counts }) => [date, counts]))
  return stepsSince('day', since).map((at) => {
    const counts = byDate.get(dayOf(at)) ?? []
    return pointOf(
      'day',
      at,
      ORDER_STATES.map((id) => counts.find(({ state_id }) => state_id === id)?.count ?? 0),
    )
  })
}

function nameOf(points: readonly Point[]): string {
  const sums = points.map(({ id, values }) => ({ id, sum: values.reduce<number>((sum, value) => sum + (value ?? 0), 0) }))
  const most = sums.reduce((best, one) => (one.sum > best.sum ? one : best), { id: '', sum: 0 })
  const total = sums.reduce((sum, one) => sum + one.sum, 0)
  return t.charts.orders.name(
    t.charts.days(DAYS),
    total,
    total === 0 ? t.charts.nothing : t.charts.orders.most(most.sum, formatDay(dayOf(most.id))),
  )
}
