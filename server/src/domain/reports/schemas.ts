import { z } from 'zod'
import { queryInteger, timestamp } from '../../procedures/fields/fields.ts'
import { since, until } from '../../procedures/fields/moments.ts'

const DAY_MS = 86_400_000
/** Longest period of a report by the hour. */
const MAX_HOURLY_DAYS = 31

export const reportUsageInput = z
  .object({
    since: since
      .describe('Only hours that begin at or after this time: an ISO 8601 timestamp, or a date for the start of that day (UTC).')
      .meta({ examples: ['2026-01-31'] }),
    until: until
      .optional()
      .describe(
        'Only hours that begin up to and including this time: an ISO 8601 timestamp, or a date for the end of that day (UTC). Default: now.',
      ),
    key_id: queryInteger().optional().describe('Only requests with the API key of this id.'),
  })
  .refine(({ since, until }) => (until?.getTime() ?? Date.now()) - since.getTime() <= MAX_HOURLY_DAYS * DAY_MS, {
    path: ['since'],
    message: `must be at most ${MAX_HOURLY_DAYS} days before until`,
    // Invalid fields are not moments.
    when: ({ issues }) => issues.length === 0,
  })

const usageHour = z
  .object({
    at: timestamp.describe('Start of the hour, UTC.'),
    key_id: z.int().describe('Id of the API key.'),
    operation: z.string().describe('`operationId` of the calls in this document.'),
    requests: z.int().describe('Requests, whatever came of them.'),
    client_errors: z.int().describe('Requests with a 4xx response, without 429.'),
    limited: z.int().describe('Requests with a 429 response.'),
    server_errors: z.int().describe('Requests with a 5xx response.'),
  })
  .meta({ id: 'UsageHour', description: 'Requests of an hour with one API key for one operation.' })

export const reportUsageOutput = z.object({
  hours: z.array(usageHour).describe('Hours with requests, oldest first, then by API key and operation.'),
})
