import { z } from 'zod'
import { orderStateId } from '../order-states/index.ts'
import { date, queryInteger, text, timestamp } from '../../procedures/fields/fields.ts'
import { since, until } from '../../procedures/fields/moments.ts'

const DAY_MS = 86_400_000
/** Longest period of a report by the hour, and by the day. */
const MAX_HOURLY_DAYS = 31
const MAX_DAYS = 366

type Period = { since: Date; until?: Date | undefined }

/** For `refine`: whether a period has at most so many days. `applies` tells for which inputs. */
const atMostDays = <Input extends Period>(days: number, applies: (input: Input) => boolean = () => true) => ({
  check: (input: Input): boolean =>
    !applies(input) || (input.until?.getTime() ?? Date.now()) - input.since.getTime() <= days * DAY_MS,
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

export const usageHour = z
  .object({
    at: timestamp.describe('Start of the hour, UTC.'),
    key_id: z.int().describe('Id of the API key.'),
    operation: z.string().describe('Name of the operation, such as `orders.create`.'),
    requests: z.int().describe('All requests, whatever their response.'),
    client_errors: z.int().describe('Requests with a 4xx response other than 429.'),
    limited: z.int().describe('Requests with a 429 response.'),
    server_errors: z.int().describe('Requests with a 5xx response.'),
  })
  .meta({ id: 'UsageHour', description: 'Requests in one hour with one API key to one operation.' })

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
          state_id: orderStateId.describe('Current state of the orders.'),
          count: z.int().describe('Number of orders of the day in this state.'),
        }),
      )
      .describe('Number of orders in each state. States without orders are omitted.'),
  })
  .meta({ id: 'OrderDay', description: 'Orders of a day.' })

export const reportOrdersOutput = z.object({
  days: z.array(orderDay).describe('Days with orders, oldest first.'),
})

export const reportDeliveriesInput = z
  .object({
    ...hours,
    webhook_id: text(255, { minLength: 1 }).optional().describe('Only attempts to deliver to the subscription with this id.'),
  })
  .refine(hourly.check, hourly.params)

const deliveryHour = z
  .object({
    at: timestamp.describe('Start of the hour, UTC.'),
    succeeded: z.int().describe('Attempts that the receiver acknowledged.'),
    failed: z.int().describe('Attempts that failed, even if a later attempt succeeded.'),
    p50_ms: z
      .int()
      .describe('Median duration of the attempts in milliseconds, as the upper bound of its bucket: see the operation.'),
    p95_ms: z.int().describe('95th percentile of the durations in milliseconds, as the upper bound of its bucket.'),
  })
  .meta({ id: 'DeliveryHour', description: 'Webhook delivery attempts in one hour.' })

export const reportDeliveriesOutput = z.object({
  hours: z.array(deliveryHour).describe('Hours with attempts, oldest first.'),
})

const hoursOrDays = {
  since: since
    .describe('First day or hour (UTC): a date, or an ISO 8601 timestamp for the day or hour of that time.')
    .meta({ examples: ['2026-01-31'] }),
  until: until
    .optional()
    .describe(
      'Last day or hour (UTC): a date for that whole day, or an ISO 8601 timestamp for the day or hour of that time. Default: now.',
    ),
}

type StockQuery = Period & { step: string }
const hourlyStock = atMostDays<StockQuery>(MAX_HOURLY_DAYS, ({ step }) => step === 'hour')
const dailyStock = atMostDays<StockQuery>(MAX_DAYS, ({ step }) => step === 'day')

export const reportStockInput = z
  .object({
    product_id: queryInteger().describe('Id of the product, which can be a deleted one.'),
    location_id: text(64, { minLength: 1 })
      .optional()
      .describe('Only stock at the location with this id. Default: all locations together.'),
    ...hoursOrDays,
    step: z.enum(['hour', 'day']).default('day').describe('Whether the points are hours or days. Default: day.'),
  })
  .refine(hourlyStock.check, hourlyStock.params)
  .refine(dailyStock.check, dailyStock.params)

const stockPoint = z
  .object({
    at: timestamp.describe('Start of the hour or day, UTC.'),
    quantity: z.number().describe('Stock at the end of the hour or day; for the current one, the current stock.'),
  })
  .meta({ id: 'StockPoint', description: 'Stock at the end of an hour or a day.' })

export const reportStockOutput = z.object({
  minimum_threshold: z.number().nullable().describe('Current `minimum_threshold` of the product; null if it has none.'),
  points: z.array(stockPoint).describe('All hours or days of the period up to now, oldest first.'),
})

type PickingQuery = Period & { by: string }
const hourlyPicking = atMostDays<PickingQuery>(MAX_HOURLY_DAYS, ({ by }) => by === 'hour')
const dailyPicking = atMostDays<PickingQuery>(MAX_DAYS, ({ by }) => by !== 'hour')

export const reportPickingInput = z
  .object({
    ...hoursOrDays,
    by: z
      .enum(['hour', 'day', 'operator'])
      .default('day')
      .describe('Rows of the report: hours, days or operators. Default: day.'),
  })
  .refine(hourlyPicking.check, hourlyPicking.params)
  .refine(dailyPicking.check, dailyPicking.params)

const pickingRow = z
  .object({
    at: timestamp.optional().describe('Start of the hour or day, UTC. Absent in a report by operator.'),
    operator_email: z.string().optional().describe('E-mail address of the operator. Only in a report by operator.'),
    picks: z.int().describe('Number of picks.'),
    units: z.number().describe('Quantity picked.'),
    flows: z.int().describe('Picking flows completed.'),
    seconds: z
      .number()
      .describe(
        'Total duration of these flows in seconds, from start to end, without pauses of more than 15 minutes. The flows of a batch share its duration.',
      ),
  })
  .meta({ id: 'PickingRow', description: 'What was picked in an hour or a day, or by an operator.' })

export const reportPickingOutput = z.object({
  rows: z
    .array(pickingRow)
    .describe('Hours or days with picks or completed flows, oldest first; or operators, those with the most units first.'),
})
