import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import { KEEPS_BULK_CALLS_OUT } from './catalog-lock.ts'
import { columnsOf, OPTIONAL_COLUMNS } from './columns.ts'
import { productCreatedData } from './product-events.ts'
import { createProductOutput, createProductInput } from './schemas.ts'

type CreatedProduct = z.infer<typeof createProductOutput>

const insertProduct = statement<[tenantId: number, columns: string], CreatedProduct>({
  name: 'insert_product',
  connection: 'write',
  sql: `with created as (
     insert into products (tenant_id, barcode, name, weighable, sales_unit, pick_tolerance_percent, ${OPTIONAL_COLUMNS.join(', ')})
     select $1, barcode, name, coalesce(weighable, false), coalesce(sales_unit, 1), coalesce(pick_tolerance_percent, 0), ${OPTIONAL_COLUMNS.join(', ')}
     from json_populate_record(null::products, $2::json)
     where ${KEEPS_BULK_CALLS_OUT}
     returning *
   ), event as (
     select 1 as position, 'product/created' as topic, ${productCreatedData('p')} as data from created p
   ), ${recordEvents('event', { areWithoutOrders: true })}
   select id, barcode, external_id, name, category, price, weight, is_active, created_at from created`,
})

/** Creates an active product. Throws `already_exists` when a product of the tenant, even a deleted one, has its barcode or SKU. */
export const createProduct = endpoint({
  name: 'products.create',
  scope: 'write:products',
  method: 'POST',
  path: '/products',
  summary: 'Create a product',
  description:
    'The barcode, and the SKU if given, must be unique in the tenant, including deleted products. A null field is treated as missing. Sends `product/created`.',
  errors: ['already_exists'],
  input: createProductInput,
  output: createProductOutput,
  run: async ({ db, caller }, input) => {
    return (await db.runOne(insertProduct, [caller.tenantId, JSON.stringify(columnsOf(input))])) as CreatedProduct
  },
})
