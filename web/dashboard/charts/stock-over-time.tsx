import type { ProductWithStock, ReportsStockResult } from '@fulfillment/sdk'
import { useState } from 'react'
import { formatDay, formatNumber } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { useScope } from '../data/session.tsx'
import { useRead } from '../data/use-read.ts'
import { RadioGroup } from '../kit/choices.tsx'
import { Region } from '../kit/region.tsx'
import { Section } from '../kit/screen.tsx'
import { Chart } from './chart.tsx'
import { dayOf, firstOfDays, pointOf, type Step } from './time-steps.ts'

const PERIODS = ['7', '30', '90', '365'] as const
type Period = (typeof PERIODS)[number]

const texts = t.charts.stock

/** The stock of a product over time, with its threshold. */
export function StockOverTime({ product: { id, name } }: { product: Pick<ProductWithStock, 'id' | 'name'> }) {
  const [period, setPeriod] = useState<Period>('90')
  const canRead = useScope('read:stock')
  const days = Number(period)
  const step: Step = days === 7 ? 'hour' : 'day'
  const query = useRead(
    ['stock', 'report', id, period],
    (api, options) => api.reports.stock({ product_id: id, since: firstOfDays(days), step }, options),
    // What another period has must not be drawn as this one.
    { enabled: canRead, keep: false },
  )
  if (!canRead) return null
  const options = PERIODS.map((value) => ({ value, label: t.charts.days(Number(value)) }))
  return (
    <Section
      title={texts.title}
      actions={
        <RadioGroup label={t.charts.period} isLabelHidden isSegmented options={options} value={period} onChange={setPeriod} />
      }
    >
      <Region query={query}>{(report) => <StockChart name={name} days={days} step={step} report={report} />}</Region>
    </Section>
  )
}

interface StockChartProps {
  name: string
  days: number
  step: Step
  report: ReportsStockResult
}

function StockChart({ name, days, step, report: { minimum_threshold: minimum, points } }: StockChartProps) {
  const threshold = minimum === null ? undefined : { value: minimum, label: texts.threshold(formatNumber(minimum)) }
  return (
    <Chart
      name={nameOf(name, days, points, minimum)}
      title={texts.title}
      pointHeader={step === 'hour' ? t.charts.hour : t.charts.day}
      data={{
        kind: 'step',
        series: [{ id: 'stock', label: texts.quantity, tone: 'accent', pattern: 'solid' }],
        points: points.map(({ at, quantity }) => pointOf(step, at, [quantity], days)),
        threshold,
      }}
    />
  )
}

/** "Stock of Green tea, 90 days: now 25, lowest 4 on Nov 3, 2026, threshold 10" */
function nameOf(product: string, days: number, points: ReportsStockResult['points'], minimum: number | null): string {
  const last = points.at(-1)
  const lowest = points.reduce(
    (least, point) => (point.quantity < least.quantity ? point : least),
    points[0] ?? { at: '', quantity: 0 },
  )
  return texts.name(
    product,
    t.charts.days(days),
    formatNumber(last?.quantity ?? 0),
    lowest.at === '' ? '0' : texts.lowestOn(formatNumber(lowest.quantity), formatDay(dayOf(lowest.at))),
    minimum === null ? undefined : formatNumber(minimum),
  )
}
