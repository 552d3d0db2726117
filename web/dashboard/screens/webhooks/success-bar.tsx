import type { DeliveryHour, Webhook } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { firstOfHours } from '../../charts/time-steps.ts'
import { useRead } from '../../data/use-read.ts'
import { ProgressBar } from '../../kit/progress-bar.tsx'
import { None } from '../../kit/time.tsx'

/** A tenant can have 100 webhooks, and each bar is a request of its own. */
const EVERY_MS = 5 * 60_000

/** The share of a webhook's attempts in the last 24 hours that succeeded. */
export function SuccessBar({ webhook: { id, name } }: { webhook: Webhook }) {
  const since = firstOfHours(24)
  const { data } = useRead(
    ['webhook', id, 'report', since],
    (api, options) => api.reports.deliveries({ webhook_id: id, since }, options),
    { everyMs: EVERY_MS, onFocus: false },
  )
  if (data === undefined || data.hours.length === 0) return <None />
  const succeeded = sumOf(data.hours, 'succeeded')
  const attempts = succeeded + sumOf(data.hours, 'failed')
  return (
    <span>
      <ProgressBar label={t.webhooks.succeeded(name)} value={succeeded} max={attempts} /> {t.charts.share(succeeded, attempts)}
    </span>
  )
}

const sumOf = (hours: readonly DeliveryHour[], key: 'succeeded' | 'failed'): number =>
  hours.reduce((sum, hour) => sum + hour[key], 0)
