import { z } from 'zod'
import { id, pageQuery, pagination, pathId, timestamp, trimmedText } from '../../procedures/fields/fields.ts'
import { returned } from '../../procedures/fields/response-fields.ts'

const name = trimmedText(255)
const email = trimmedText(255).regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
const operatorPathId = pathId.describe('Id of the operator.')
const MAY_CHANGE_STOCK =
  'Whether the operator may transfer, adjust and set stock on a device. Picks, receipts and entries of counts do not need it.'
const IS_ACTIVE = 'Whether the operator may use devices.'

export const operator = z
  .object({
    id: id.describe('Id of the operator.'),
    name: z.string().describe('Name of the operator.'),
    email: z.string().describe('E-mail address of the operator, unique in the tenant regardless of case.'),
    may_change_stock: z.boolean().describe(MAY_CHANGE_STOCK),
    is_active: z.boolean().describe(IS_ACTIVE),
    has_badge: z.boolean().describe('Whether a badge was issued.'),
    last_active_at: timestamp
      .nullable()
      .describe('Time of the last use of a device, UTC, accurate to about a minute; null if there was none.'),
    created_at: returned.created_at,
  })
  .meta({ id: 'Operator', description: 'A person who works with a scan device.' })

export const createOperatorInput = z.object({
  name: name.describe('Name of the operator.').meta({ examples: ['Ada Byron'] }),
  email: email
    .describe('E-mail address of the operator. Picking flows with this `operator_email` belong to the operator.')
    .meta({ examples: ['ada@warehouse.example'] }),
  may_change_stock: z.boolean().nullish().describe(`${MAY_CHANGE_STOCK} Default: false.`),
  is_active: z.boolean().nullish().describe(`${IS_ACTIVE} Default: true.`),
})

export const listOperatorsInput = z.object(pageQuery)
export const listOperatorsOutput = z.object({
  operators: z.array(operator).describe('Operators of this page, by name.'),
  pagination,
})

export const operatorId = z.object({ id: operatorPathId })

export const updateOperatorInput = z.object({
  id: operatorPathId,
  name: name
    .optional()
    .describe('New name.')
    .meta({ examples: ['Ada Lovelace'] }),
  email: email.optional().describe('New e-mail address. Existing picking flows keep the previous one.'),
  may_change_stock: z.boolean().optional().describe(MAY_CHANGE_STOCK),
  is_active: z.boolean().optional().describe(`${IS_ACTIVE} \`false\` signs the operator out of every device.`),
})

export const issueBadgeOutput = z.object({
  badge: z.string().describe('Text of the new badge. Returned only once.'),
})

export const createDeviceCodeInput = z.object({
  device_name: name.describe('Name of the device.').meta({ examples: ['Handheld 3'] }),
  key_id: id
    .nullish()
    .describe(
      'Id of the API key whose rights the device gets. It must have the same mode as the calling key, and can have neither a wider allow-list nor a later expiration. Default: the calling key.',
    ),
})

export const createDeviceCodeOutput = z.object({
  code: z.string().describe('Enrols one device. Returned only in this response; it cannot be read again.'),
  url: z.string().describe('Address to open on the device, which then asks for confirmation. Contains the code.'),
  expires_at: timestamp.describe('Time until which the code is valid, UTC.'),
})

export type Operator = z.infer<typeof operator>
