import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { availabilityOrNone, readByPolicy, type SeenAvailability, shownAvailability } from '../reservation-core/index.ts'
import { LEVELS, productWithStock } from './product-with-stock.ts'
import { getProductBySkuInput, getProductBySkuOutput } from './schemas.ts'

type ProductBySku = Omit<z.infer<typeof getProductBySkuOutput>, 'availability'> & SeenAvailability

const selectBySku = (levels: string, columns: string): string => `
  select p.id, p.barcode, p.external_id, p.name, p.category, p.price,
    coalesce((
      select json_agg(json_build_object('location_id', s.location_id, 'quantity', s.quantity::float8) order by s.location_id)
      from ${levels} s
    ), '[]') as stock${columns}
  from products p where p.tenant_id = $1 and p.external_id = $2 and p.is_active`

const plain = {
  few: statement<[tenantId: number, sku: string], ProductBySku>({
    name: 'find_product_by_sku',
    connection: 'read',
    sql: selectBySku(LEVELS.few, ''),
  }),
  all: statement<[tenantId: number, sku: string], ProductBySku>({
    name: 'find_product_by_sku_at_many_locations',
    connection: 'slow',
    sql: selectBySku(LEVELS.all, ''),
  }),
}

const reserving = {
  few: statement<[tenantId: number, sku: string], ProductBySku>({
    name: 'find_product_by_sku_reserving',
    connection: 'read',
    sql: selectBySku(LEVELS.few, availabilityOrNone('p.id')),
  }),
  all: statement<[tenantId: number, sku: string], ProductBySku>({
    name: 'find_product_by_sku_at_many_locations_reserving',
    connection: 'slow',
    sql: selectBySku(LEVELS.all, availabilityOrNone('p.id')),
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
    const product = await readByPolicy(tenantId, {
      plain: () => productWithStock(context, plain, [tenantId, sku]),
      reserving: () => productWithStock(context, reserving, [tenantId, sku]),
      isReserving: (row) => row.is_reserving === true,
    })
    if (product === undefined) throw new ServiceError('not_found', 'No active product has this SKU')
    return shownAvailability(product)
  },
})
