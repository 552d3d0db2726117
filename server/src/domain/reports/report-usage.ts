import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { textEndpoint } from '../../procedures/endpoint.ts'
import { JsonText } from '../../procedures/json-text.ts'
import { jsonText } from '../events/index.ts'
import { reportUsageInput, reportUsageOutput, usageHour } from './schemas.ts'

/** Bounds the response to a few megabytes. */
const MAX_ENTRIES = 20_000

interface Row {
  at: string
  count: number
  /** Entries of the hour without their first field, `at`, each behind a line feed, which JSON texts otherwise do not have. */
  entries: string
}

const ENTRY = jsonText(usageHour.omit({ at: true }), {
  key_id: 'key_id',
  operation: 'operation',
  requests: 'requests',
  client_errors: 'client_errors',
  limited: 'limited',
  server_errors: 'server_errors',
})

/**
 * A row per hour, with its entries as text. 11,000 rows of 7 columns take 2.5 times as long to read as Postgres takes to write them; writing the time
 * of each, which is the same for all entries of an hour, takes Postgres longer than everything else.
 */
const selectUsage = statement<
  [tenantId: number, since: Date, until: Date | undefined, keyId: number | undefined, limit: number],
  Row
>({
  name: 'report_usage',
  connection: 'slow',
  sql: `select at, count(*)::int as count, string_agg(E'\\n' || ${ENTRY}, '' order by key_id, operation) as entries
   from (
     select at, key_id, operation, requests, client_errors, limited, server_errors from usage_hours
     where tenant_id = $1 and at >= $2 and at < coalesce($3::timestamptz, 'infinity') and ($4::bigint is null or key_id = $4)
     order by at, key_id, operation limit $5
   ) u
   group by at order by at`,
})

/** Requests with API keys, by hour. */
export const reportUsage = textEndpoint({
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
    if (hours.reduce((sum, { count }) => sum + count, 0) > MAX_ENTRIES)
      throw new ServiceError('validation_error', `since: more than ${MAX_ENTRIES} entries; ask for fewer days or one key_id`)
    return new JsonText(`{"hours":[${hours.map(entriesText).join('').slice(1)}]}`)
  },
})

/** The text of the entries of an hour, each behind a comma. */
function entriesText({ at, entries }: Row): string {
  return entries.replaceAll('\n{', `,{"at":"${at}",`)
}
