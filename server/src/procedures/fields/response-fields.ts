import { z } from 'zod'
import { id, timestamp } from './fields.ts'

const time = (of: string): z.ZodISODateTime => timestamp.describe(`Time of ${of}, UTC.`)

/** A quantity that the service computes or stores; `what` begins its description. */
export const quantityOf = (what: string): z.ZodNumber => z.number().describe(`${what}, with at most 3 decimal places.`)

/** Fields with the same meaning in all responses and events, by their name on the wire. */
export const returned = {
  product_id: id.describe('Id of the product.'),
  product_name: z.string().describe('Name of the product.'),
  barcode: z.string().describe('Barcode of the product, unique in the tenant.'),
  sku: z.string().nullable().describe('SKU of the product; null if it has none.'),
  category: z.string().nullable().describe('Category of the product; null if it has none.'),
  price: z.number().nullable().describe("Unit price, in the tenant's own currency; null if unknown."),
  cost: z.number().nullable().describe("Purchase price of a unit, in the tenant's own currency; null if unknown."),
  weight: z.number().nullable().describe('Weight of a unit in kilograms; null if unknown.'),

  location_id: z.string().describe('Id of the location.'),
  location_code: z.string().describe('Human-readable code of the location. Default: its id.'),
  warehouse_id: id.describe('Id of the warehouse.'),
  warehouse_name: z.string().describe('Name of the warehouse.'),

  order_id: id.describe('Id of the order, assigned by the service.'),
  order_tenant_id: z.string().describe("The client's own order identifier."),
  customer_name: z.string().nullable().describe('Name of the customer; null if none was given.'),
  shipping_address: z.string().nullable().describe('Shipping address; null if none was given.'),
  order_detail_id: id.describe('Id of the order line.'),
  operator_id: z.int().nullable().describe("The client's own id of the operator; null if none was given."),
  operator_email: z.string().describe('E-mail address of the operator.'),

  message: z.string().describe('Human-readable result of the call.'),
  created_at: time('creation'),
  updated_at: time('the last change'),
  started_at: time('the start'),
}
