import type { DeliveryHour } from '@fulfillment/sdk'
import { useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import type { ChartData } from '../../charts/chart-data.ts'
import { Chart } from '../../charts/chart.tsx'
import { dayOf, firstOfDays, firstOfHours, pointOf, type Step, stepsSince } from '../../charts/time-steps.ts'
import { useRead } from '../../data/use-read.ts'
import { RadioGroup } from '../../kit/choices.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'

const texts = t.charts.deliveries
const PERIODS = ['1', '7', '30'] as const
type Period = (typeof PERIODS)[number]

/** How many attempts of a webhook succeeded over time, and how long they took. */
export function WebhookHealth({ id, name }: { id: string; name: string }) {
  const [period, setPeriod] = useState<Period>('1')
  const days = Number(period)
  const since = days === 1 ? firstOfHours(24) : firstOfDays(days)
  const query = useRead(
    ['webhook', id, 'report', since],
    (api, options) => api.reports.deliveries({ webhook_id: id, since }, options),
    // What another period has must not be drawn as this one.
    { keep: false },
  )
  const options = PERIODS.map((value) => ({ value, label: t.charts.days(Number(value)) }))
  return (
    <Section
      title={texts.title}
      actions={
        <RadioGroup label={t.charts.period} isLabelHidden isSegmented options={options} value={period} onChange={setPeriod} />
      }
    >
      <Region query={query}>
        {({ hours }) =>
          hours.length === 0 ? <Empty text={texts.none} /> : <Charts name={name} days={days} since={since} hours={hours} />
        }
      </Region>
    </Section>
  )
}

interface ChartsProps {
  name: string
  days: number
  since: string
  hours: readonly DeliveryHour[]
}

function Charts({ name, days, since, hours }: ChartsProps) {
  const step: Step = days > 7 ? 'day' : 'hour'
  const steps = stepsSince(step, since).map((at) => ({ at, hours: hours.filter((hour) => isIn(step, at, hour)) }))
  const sum = (of: readonly DeliveryHour[], key: 'succeeded' | 'failed'): number =>
    of.reduce((total, hour) => total + hour[key], 0)
  const most = (of: readonly DeliveryHour[], key: 'p50_ms' | 'p95_ms'): number => Math.max(0, ...of.map((hour) => hour[key]))
  const attempts = sum(hours, 'succeeded') + sum(hours, 'failed')
  const period = t.charts.days(days)
  const pointHeader = step === 'hour' ? t.charts.hour : t.charts.day
  const ms = (value: number): string => texts.ms(formatNumber(value))
  const success: ChartData = {
    kind: 'bars',
    series: [
      { id: 'succeeded', label: texts.succeeded, tone: 'ok', pattern: 'solid' },
      { id: 'failed', label: texts.failed, tone: 'bad', pattern: 'rising' },
    ],
    points: steps.map(({ at, hours: of }) => pointOf(step, at, [sum(of, 'succeeded'), sum(of, 'failed')], days)),
  }
  const latency: ChartData = {
    kind: 'line',
    series: [
      { id: 'p50', label: texts.p50, tone: 'accent', pattern: 'solid' },
      { id: 'p95', label: texts.p95, tone: 'warn', pattern: 'rising' },
    ],
    points: steps.map(({ at, hours: of }) =>
      pointOf(step, at, of.length === 0 ? [null, null] : [most(of, 'p50_ms'), most(of, 'p95_ms')], days),
    ),
  }
  const share = t.charts.share(sum(hours, 'succeeded'), attempts)
  return (
    <>
      <Chart
        name={texts.successName(name, period, share, attempts)}
        title={texts.success}
        pointHeader={pointHeader}
        data={success}
      />
      <Chart
        name={texts.latencyName(name, period, ms(most(hours, 'p50_ms')), ms(most(hours, 'p95_ms')))}
        title={texts.latency}
        pointHeader={pointHeader}
        data={latency}
        withUnit={texts.ms}
      />
      {step === 'day' && <p>{texts.slowest}</p>}
    </>
  )
}

const isIn = (step: Step, at: string, hour: DeliveryHour): boolean =>
  step === 'hour' ? hour.at === at : dayOf(hour.at) === dayOf(at)
