import { z } from 'zod'
import { orderStateId } from '../order-states/index.ts'
import { date, queryInteger, text, timestamp } from '../../procedures/fields/fields.ts'
import { since, until } from '../../procedures/fields/moments.ts'

const DAY_MS = 86_400_000
/** Longest period of a report by the hour, and by the day. */
const MAX_HOURLY_DAYS = 31
const MAX_DAYS = 366

/** For `refine`: whether a period has at most so many days. */
const atMostDays = (days: number) => ({
  check: ({ since, until }: { since: Date; until?: Date | undefined }): boolean =>
    (until?.getTime() ?? Date.now()) - since.getTime() <= days * DAY_MS,
  params: {
    path: ['since'],
    message: `must be at most ${days} days before until`,
    // Invalid fields are not moments.
    when: ({ issues }: { issues: unknown[] }) => issues.length === 0,
  },
})

const hourly = atMostDays(MAX_HOURLY_DAYS)
const daily = atMostDays(MAX_DAYS)

const hours = {
  since: since
    .describe('Only hours that begin at or after this time: an ISO 8601 timestamp, or a date for the start of that day (UTC).')
    .meta({ examples: ['2026-01-31'] }),
  until: until
    .optional()
    .describe(
      'Only hours that begin up to and including this time: an ISO 8601 timestamp, or a date for the end of that day (UTC). Default: now.',
    ),
}

export const reportUsageInput = z
  .object({
    ...hours,
    key_id: queryInteger().optional().describe('Only requests with the API key of this id.'),
  })
  .refine(hourly.check, hourly.params)

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

export const reportOrdersInput = z
  .object({
    since: since
      .describe('First day (UTC): a date, or an ISO 8601 timestamp for the day of that time.')
      .meta({ examples: ['2026-01-01'] }),
    until: until
      .optional()
      .describe('Last day (UTC): a date, or an ISO 8601 timestamp for the day of that time. Default: today.'),
    by: z
      .enum(['created', 'assembly'])
      .default('created')
      .describe('Day of an order: the day of its creation, or its `assembly_date`. Default: created.'),
  })
  .refine(daily.check, daily.params)

const orderDay = z
  .object({
    date: date.describe('Day, UTC.'),
    counts: z
      .array(
        z.object({
          state_id: orderStateId.describe('State of the orders now.'),
          count: z.int().describe('Number of orders of the day in this state.'),
        }),
      )
      .describe('Numbers of orders by state, without states that no order has.'),
  })
  .meta({ id: 'OrderDay', description: 'Orders of a day.' })

export const reportOrdersOutput = z.object({
  days: z.array(orderDay).describe('Days with orders, oldest first.'),
})

export const reportDeliveriesInput = z
  .object({
    ...hours,
    webhook_id: text(255, { minLength: 1 }).optional().describe('Only attempts to deliver to the webhook of this id.'),
  })
  .refine(hourly.check, hourly.params)

const deliveryHour = z
  .object({
    at: timestamp.describe('Start of the hour, UTC.'),
    succeeded: z.int().describe('Attempts that the receiver acknowledged.'),
    failed: z.int().describe('Attempts that failed, also if a later attempt succeeded.'),
    p50_ms: z
      .int()
      .describe('Half of the attempts took at most this long, in milliseconds. See the description of the operation.'),
    p95_ms: z.int().describe('95 of 100 attempts took at most this long, in milliseconds.'),
  })
  .meta({ id: 'DeliveryHour', description: 'Attempts to deliver webhooks of an hour.' })

export const reportDeliveriesOutput = z.object({
  hours: z.array(deliveryHour).describe('Hours with attempts, oldest first.'),
})
