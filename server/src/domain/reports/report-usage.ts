import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { ServiceError } from '../../procedures/errors.ts'
import { reportUsageInput, reportUsageOutput } from './schemas.ts'

type UsageHour = z.infer<typeof reportUsageOutput>['hours'][number]

/** Bounds the response to a few megabytes. */
const MAX_ENTRIES = 20_000

const selectUsage = statement<
  [tenantId: number, since: Date, until: Date | undefined, keyId: number | undefined, limit: number],
  UsageHour
>({
  name: 'report_usage',
  lane: 'slow',
  sql: `select at, key_id, operation, requests, client_errors, limited, server_errors from usage_hours
   where tenant_id = $1 and at >= $2 and at < coalesce($3::timestamptz, 'infinity') and ($4::bigint is null or key_id = $4)
   order by at, key_id, operation limit $5`,
})

/** Requests with API keys, by hour. */
export const reportUsage = endpoint({
  name: 'reports.usage',
  scope: 'admin',
  method: 'GET',
  path: '/reports/usage',
  summary: 'Report API usage',
  description: `Requests with API keys by hour, key and operation, for at most 31 days. Counts are up to 10 seconds old and kept for 90 days. Calls of the dashboard are not counted. A period with more than ${MAX_ENTRIES.toLocaleString('en-US')} entries is a \`validation_error\`: ask for fewer days or one key.`,
  isAddition: true,
  readsReplica: true,
  input: reportUsageInput,
  output: reportUsageOutput,
  run: async ({ db, caller }, { since, until, key_id }) => {
    const hours = await db.run(selectUsage, [caller.tenantId, since, until, key_id, MAX_ENTRIES + 1])
    if (hours.length > MAX_ENTRIES)
      throw new ServiceError('validation_error', `since: more than ${MAX_ENTRIES} entries; ask for fewer days or one key_id`)
    return { hours }
  },
})
