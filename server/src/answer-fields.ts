import { z } from 'zod'
import { id, timestamp } from './fields.ts'

const time = (of: string): z.ZodISODateTime => timestamp.describe(`Time of ${of}, UTC.`)

/** Fields that mean the same in every answer and event that has them, by their name on the wire. */
export const returned = {
  product_id: id.describe('Id of the product.'),
  product_name: z.string().describe('Name of the product.'),
  barcode: z.string().describe('Barcode of the product, unique in the tenant.'),
  sku: z.string().nullable().describe('SKU of the product; null when it has none.'),
  category: z.string().nullable().describe('Category of the product; null when it has none.'),
  price: z.number().nullable().describe("Unit price, in the tenant's own currency; null when it is not known."),
  cost: z.number().nullable().describe("Purchase price of a unit, in the tenant's own currency; null when it is not known."),
  weight: z.number().nullable().describe('Weight of a unit in kilograms; null when it is not known.'),

  location_id: z.string().describe('Id of the location.'),
  location_code: z.string().describe('Code of the location, as people call it. It is the id until it is changed.'),
  warehouse_id: id.describe('Id of the warehouse.'),
  warehouse_name: z.string().describe('Name of the warehouse.'),

  order_id: id.describe("The service's id of the order."),
  order_tenant_id: z.string().describe("The client's own identifier of the order."),
  customer_name: z.string().nullable().describe('Name of the customer; null when none was given.'),
  shipping_address: z.string().nullable().describe('Address that the order is shipped to; null when none was given.'),
  order_detail_id: id.describe('Id of the order line.'),
  operator_id: z.int().nullable().describe("The client's own number of the operator; null when none was given."),
  operator_email: z.string().describe('E-mail address of the operator.'),

  message: z.string().describe('What was done, for people.'),
  created_at: time('creation'),
  updated_at: time('the last change'),
  started_at: time('the start'),
}
