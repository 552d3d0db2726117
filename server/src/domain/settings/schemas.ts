import { z } from 'zod'
import { timestamp } from '../../procedures/fields/fields.ts'

/** Fixed digits, the item, ignored digits, the weight, ignored digits, the check digit: those of an EAN-13. */
const WEIGHT_PATTERN = /^\d{1,3}I{1,8}X*W{3,6}X*C$/

const reservationPolicy = z
  .enum(['off', 'track', 'strict'])
  .describe(
    '`off`: nothing is reserved. `track`: orders reserve what is available, and the rest is backordered. `strict`: like `track`, but an order that cannot be reserved in full is refused.',
  )
  .meta({ examples: ['track'] })

const weightBarcode = z
  .object({
    pattern: z
      .string()
      .length(13, 'must have 13 characters')
      .regex(WEIGHT_PATTERN, 'must be digits, then I for the item, W for the weight and C for the check digit')
      .describe(
        'Pattern of an EAN-13: 1 to 3 fixed digits, 1 to 8 `I` for the item, 3 to 6 `W` for the weight, and `C` for the check digit. Digits at an `X` are ignored. A UPC-A is read with a 0 before it.',
      )
      .meta({ examples: ['21IIIIIWWWWWC'] }),
    decimals: z
      .int()
      .min(0)
      .max(4)
      .describe('Number of decimals of the weight in kilograms.')
      .meta({ examples: [3] }),
  })
  .meta({ id: 'WeightBarcode', description: 'A pattern of barcodes that contain a weight.' })

const weightBarcodes = z
  .array(weightBarcode)
  .max(10, 'must have at most 10 patterns')
  .describe('Patterns of barcodes that contain a weight. The first pattern that matches is used.')

export const settings = z
  .object({
    reservation_policy: reservationPolicy,
    reservation_state: z
      .enum(['ready', 'switching'])
      .describe(
        '`switching` after reserving was turned on or off, until the reservations of all open orders are made or removed; else `ready`.',
      ),
    weight_barcodes: weightBarcodes,
    updated_at: timestamp.nullable().describe('Time of the last change, UTC; null if nothing was ever changed.'),
  })
  .meta({ id: 'TenantSettings', description: "The tenant's settings." })

export const getSettingsInput = z.object({})

export const updateSettingsInput = z.object({
  reservation_policy: reservationPolicy
    .nullable()
    .optional()
    .describe('Whether orders reserve stock: `off`, `track` or `strict`. null resets it to `off`.')
    .meta({ examples: ['track'] }),
  weight_barcodes: weightBarcodes
    .nullable()
    .optional()
    .describe('Patterns of barcodes that contain a weight, at most 10; null removes all.'),
})

export type Settings = z.infer<typeof settings>
