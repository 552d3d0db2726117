import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import '../validation-messages.ts'

/** The message of an invalid path id. It distinguishes the error code `invalid_id` from `validation_error`. */
export const INVALID_ID_MESSAGE = 'must be an integer from 1 to 9007199254740991'

const NOT_A_DATE = 'must be a calendar date YYYY-MM-DD'

export const MAX_QUANTITY = 999_999_999_999

const digitsToNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value

/** A string that Postgres can store unchanged, of at most `maxLength` characters. */
export function text(maxLength: number, options: { minLength?: number } = {}) {
  return storable(z.string(), options.minLength ?? 0, maxLength)
}

/** Like `text`, but surrounding whitespace is removed first, and the rest must not be empty. */
export function trimmedText(maxLength: number) {
  return storable(z.string().trim(), 1, maxLength)
}

function storable(base: z.ZodString, minLength: number, maxLength: number) {
  const tooShort = minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`
  return (
    (minLength === 0 ? base : base.min(minLength, tooShort))
      .max(maxLength, `must have at most ${maxLength} characters`)
      // One check instead of two: checks are most of the time that a bulk call's items take.
      .check(({ value, issues }) => {
        const refuse = (message: string) => issues.push({ code: 'custom', input: value, message, continue: true })
        if (value.includes('\u0000')) refuse('must not contain the character U+0000')
        if (!value.isWellFormed()) refuse('must not contain a lone surrogate')
      })
  )
}

/** An address that a page can link to. */
export const httpUrl = text(2_048).refine(
  (value) => /^https?:\/\/\S+$/i.test(value) && URL.canParse(value),
  'must be an http or https URL',
)

/** A record's id in a body. */
export const id = z.int().min(1)

/** The item of a bulk call that an error refers to. */
export const itemIndex = z.int().min(0).describe('Position in the submitted array, from 0.')

/** A record's id in the path: digits only. */
export const pathId = z.preprocess(
  digitsToNumber,
  z
    .number({ error: INVALID_ID_MESSAGE })
    .int(INVALID_ID_MESSAGE)
    .min(1, INVALID_ID_MESSAGE)
    .max(Number.MAX_SAFE_INTEGER, INVALID_ID_MESSAGE),
)

/** A number above the largest safe integer becomes that integer, which is also beyond every id and page. */
const anyDigitsToNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : value

/** A query parameter that is an integer from `min`. */
export function queryInteger(min = 1) {
  const error = `must be an integer from ${min}`
  // Other texts than digits, such as -1: all that a query says is text.
  return z.preprocess(
    anyDigitsToNumber,
    z.int({ error: ({ input }) => (typeof input === 'string' ? error : undefined) }).min(min),
  )
}

/** A query parameter that is true, false, 1 or 0. */
export const queryBoolean = z
  .preprocess(
    // Arguments of tools have types.
    (value) => (typeof value === 'boolean' || typeof value === 'number' ? String(value) : value),
    z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], case: 'sensitive', error: 'must be true, false, 1 or 0' }),
  )
  .meta({ override: { type: 'boolean' } })

/** A calendar date, `YYYY-MM-DD`. */
export const date = z.iso
  .date({ error: ({ input }) => (input === undefined ? undefined : NOT_A_DATE) })
  .refine((value) => !value.startsWith('0000'), NOT_A_DATE)

/** A point in time in responses: ISO 8601, UTC, milliseconds. */
export const timestamp = z.iso.datetime()

/** A finite number from 0, such as a price or a weight. */
export const amount = z
  .number()
  .min(0)
  // JSON has -0, which would otherwise be returned as -0.
  .overwrite((value) => value + 0)

/** Decimal with at most 3 places, either sign. */
export const signedQuantity = z
  .number()
  .min(-MAX_QUANTITY)
  .max(MAX_QUANTITY)
  .refine((value) => Number.isInteger(value) || Number(value.toFixed(3)) === value, 'must have at most 3 decimal places')
  .overwrite((value) => value + 0)

/** A stock quantity: a decimal from 0 with at most 3 places. */
export const quantity = signedQuantity.min(0)

/** A quantity above zero. */
export const positiveQuantity = signedQuantity.gt(0)

/** Whether an optional field was given. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** For a check of several fields. It also runs if fields are invalid, with their original values, so that one response reports all errors. */
export const CHECK_ALSO_WHEN_INVALID = {
  when: ({ value }: { value: unknown }): boolean => typeof value === 'object' && value !== null,
}

/** `page` and `limit` of every paged list. A `limit` above 100 is treated as 100. */
export const pageQuery = {
  page: queryInteger().default(1).describe('Page number, from 1. Default: 1. A page past the last one is empty.'),
  limit: queryInteger()
    .transform((limit) => Math.min(limit, 100))
    .default(50)
    .describe('Records per page, 1 to 100. Default: 50. Larger values are treated as 100.'),
}

/** The position at which a list continues: `cursor`, named after the `next_cursor` of responses, or its alias `after`. */
export function cursorQuery<Cursor extends z.ZodType>(cursor: Cursor, description: string) {
  return {
    cursor: cursor.optional().describe(description),
    after: cursor.optional().describe('Alias of `cursor`. Send only one of the two.'),
  }
}

/** The check that both have the same value: ignoring one could return the wrong page. */
export const oneCursor = [
  ({ cursor, after }: { cursor?: unknown; after?: unknown }) =>
    cursor === undefined || after === undefined || isDeepStrictEqual(cursor, after),
  { path: ['cursor'], message: 'must be the same as after, or be given without it' },
] satisfies Parameters<z.ZodType<object>['refine']>

export const pagination = z
  .object({
    total: z.int().describe('Exact number of matching records on all pages.'),
    page: z.int().describe('Number of this page, from 1.'),
    limit: z.int().describe('Records per page of this response, at most 100.'),
    total_pages: z.int().describe('Number of pages; 0 when nothing matches.'),
  })
  .meta({ id: 'Pagination', description: 'Page numbers and totals of a list.' })

/** The `pagination` of a response. */
export function paginationOf(query: { page: number; limit: number }, total: number): z.infer<typeof pagination> {
  return { total, page: query.page, limit: query.limit, total_pages: Math.ceil(total / query.limit) }
}
