import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { ServiceError } from '../../procedures/errors.ts'
import { type Availability, availabilityOf, IS_RESERVING, readByPolicy, shownAvailability } from '../reserving/index.ts'
import { LEVELS, productWithStock } from './product-with-stock.ts'
import { getProductBySkuInput, getProductBySkuOutput } from './schemas.ts'

type ProductBySku = Omit<z.infer<typeof getProductBySkuOutput>, 'availability'> & {
  availability: Availability | null
  is_reserving: boolean
}

const selectBySku = (levels: string, availability: string): string => `
  select p.id, p.barcode, p.external_id, p.name, p.category, p.price,
    coalesce((
      select json_agg(json_build_object('location_id', s.location_id, 'quantity', s.quantity::float8) order by s.location_id)
      from ${levels} s
    ), '[]') as stock, ${availability} as availability, ${IS_RESERVING} as is_reserving
  from products p where p.tenant_id = $1 and p.external_id = $2 and p.is_active`

const statements = {
  few: statement<[tenantId: number, sku: string], ProductBySku>({
    name: 'find_product_by_sku',
    lane: 'read',
    sql: selectBySku(LEVELS.few, 'null::json'),
  }),
  all: statement<[tenantId: number, sku: string], ProductBySku>({
    name: 'find_product_by_sku_at_many_locations',
    lane: 'slow',
    sql: selectBySku(LEVELS.all, 'null::json'),
  }),
}

const reserving = {
  few: statement<[tenantId: number, sku: string], ProductBySku>({
    name: 'find_product_by_sku_reserving',
    lane: 'read',
    sql: selectBySku(LEVELS.few, availabilityOf('p.id')),
  }),
  all: statement<[tenantId: number, sku: string], ProductBySku>({
    name: 'find_product_by_sku_at_many_locations_reserving',
    lane: 'slow',
    sql: selectBySku(LEVELS.all, availabilityOf('p.id')),
  }),
}

/** The active product with this SKU and its stock by location. Throws `not_found`. */
export const getProductBySku = endpoint({
  name: 'products.getBySku',
  scope: 'read:products',
  method: 'GET',
  path: '/products/sku/{sku}',
  summary: 'Get a product by SKU',
  description: 'An active product with its stock by location.',
  input: getProductBySkuInput,
  output: getProductBySkuOutput,
  run: async (context, { sku }) => {
    const { tenantId } = context.caller
    const product = await readByPolicy(tenantId, (isReserving) =>
      productWithStock(context, isReserving ? reserving : statements, [tenantId, sku]),
    )
    if (product === undefined) throw new ServiceError('not_found', 'No active product has this SKU')
    return shownAvailability(product)
  },
})
