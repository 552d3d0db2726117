import { statement } from '../../database/statements/statement.ts'
import { DURATION_LIMITS_MS } from '../../delivery/index.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { parseSubscriptionId } from '../webhooks/index.ts'
import { reportDeliveriesInput, reportDeliveriesOutput } from './schemas.ts'

interface Row {
  at: string
  succeeded: number
  failed: number
  /** Attempts by class of duration. */
  durations: number[]
}

const sums = DURATION_LIMITS_MS.map((_, index) => `sum(durations[${index + 1}])`).join(', ')

const selectHours = statement<[tenantId: number, since: Date, until: Date | undefined, subscriptionId: number | undefined], Row>({
  name: 'report_deliveries',
  connection: 'slow',
  sql: `select at, sum(succeeded)::bigint as succeeded, sum(failed)::bigint as failed, array[${sums}]::float8[] as durations from delivery_hours
   where tenant_id = $1 and at >= $2 and at < coalesce($3::timestamptz, 'infinity') and ($4::bigint is null or subscription_id = $4)
   group by at order by at`,
})

/** Attempts to deliver webhooks, by hour. */
export const reportDeliveries = endpoint({
  name: 'reports.deliveries',
  scope: 'read:webhooks',
  method: 'GET',
  path: '/reports/deliveries',
  summary: 'Report webhook deliveries',
  description: `Webhook delivery attempts by hour, with their success and duration, for at most 31 days. Counts are kept for 90 days; test calls are not counted. Durations are counted in buckets, so a percentile is the upper bound of its bucket: ${DURATION_LIMITS_MS.map((limit) => limit.toLocaleString('en-US')).join(', ')} ms.`,
  isAddition: true,
  readsReplica: true,
  input: reportDeliveriesInput,
  output: reportDeliveriesOutput,
  run: async ({ db, caller }, { since, until, webhook_id }) => {
    const subscriptionId = webhook_id === undefined ? undefined : parseSubscriptionId(webhook_id)
    if (webhook_id !== undefined && subscriptionId === undefined) return { hours: [] }
    const rows = await db.run(selectHours, [caller.tenantId, since, until, subscriptionId])
    return {
      hours: rows.map(({ durations, ...hour }) => ({
        ...hour,
        p50_ms: percentile(durations, 0.5),
        p95_ms: percentile(durations, 0.95),
      })),
    }
  },
})

/** The upper limit of the class in which this share of the attempts is reached. */
function percentile(durations: readonly number[], share: number): number {
  const total = durations.reduce((sum, count) => sum + count, 0)
  let through = 0
  const reached = durations.findIndex((count) => (through += count) >= share * total)
  return DURATION_LIMITS_MS[reached] as number
}
