import { z } from 'zod'
import { eventTopic } from '../../procedures/event-topics.ts'
import { returned } from '../../procedures/fields/response-fields.ts'
import { timestamp } from '../../procedures/fields/fields.ts'

const time = (of: string): z.ZodISODateTime => timestamp.describe(`Time of ${of}, UTC.`)
const updatedFields = z.array(z.string()).describe('Names of the fields that changed.')
const productIdentity = { product_id: returned.product_id, sku: returned.sku, barcode: returned.barcode }
const sampleProduct = { product_id: 815, sku: 'TSHIRT-BLUE-M', barcode: '7791234567890' }
const SAMPLE_NAME = 'T-shirt, blue, M'
const at = (time: string): string => `2026-03-02T${time}.000Z`

export const productCreated = eventTopic({
  name: 'product/created',
  data: z
    .object({
      ...productIdentity,
      name: returned.product_name,
      description: z.string().nullable().describe('Description of the product; null if it has none.'),
      category: returned.category,
      price: returned.price,
      cost: returned.cost,
      weight: returned.weight,
      created_at: returned.created_at,
    })
    .describe('A product was created.'),
  sample: {
    ...sampleProduct,
    name: SAMPLE_NAME,
    description: 'Organic cotton, regular fit',
    category: 'Apparel',
    price: 19.9,
    cost: 7.5,
    weight: 0.18,
    created_at: at('08:00:00'),
  },
})

export const productUpdated = eventTopic({
  name: 'product/updated',
  data: z
    .object({ ...productIdentity, name: returned.product_name, updated_fields: updatedFields, updated_at: returned.updated_at })
    .describe("A product's details changed."),
  sample: { ...sampleProduct, name: SAMPLE_NAME, updated_fields: ['price'], updated_at: at('08:30:00') },
})

export const productDeleted = eventTopic({
  name: 'product/deleted',
  data: z
    .object({ ...productIdentity, name: returned.product_name, deleted_at: time('deletion') })
    .describe('A product was deleted: it is inactive now.'),
  sample: { ...sampleProduct, name: SAMPLE_NAME, deleted_at: at('18:00:00') },
})
