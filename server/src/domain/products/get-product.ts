import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { availabilityOrNone, readByPolicy, type SeenAvailability, shownAvailability } from '../reservation-core/index.ts'
import { LEVELS, productWithStock } from './product-with-stock.ts'
import { withTolerance } from './tolerance.ts'
import { getProductOutput, productId } from './schemas.ts'

type ProductWithStock = Omit<z.infer<typeof getProductOutput>, 'availability'> & SeenAvailability

const selectProduct = (levels: string, columns: string): string => `
  select p.id, p.barcode, p.external_id, p.name, p.description, p.category, p.price, p.weight, p.width, p.height, p.depth, p.sales_unit,
    p.weighable, p.photo_url, p.is_active, p.created_at, p.updated_at, p.cost, p.minimum_threshold, p.reorder_quantity, p.pick_tolerance_percent,
    coalesce((
      select json_agg(json_build_object('location_id', s.location_id, 'location_code', l.code, 'quantity', s.quantity::float8) order by s.location_id)
      from ${levels} s join locations l on l.tenant_id = $1 and l.id = s.location_id
    ), '[]') as stock${columns}
  from products p where p.tenant_id = $1 and p.id = $2`

const plain = {
  few: statement<[tenantId: number, id: number], ProductWithStock>({
    name: 'find_product',
    connection: 'read',
    sql: selectProduct(LEVELS.few, ''),
  }),
  all: statement<[tenantId: number, id: number], ProductWithStock>({
    name: 'find_product_at_many_locations',
    connection: 'slow',
    sql: selectProduct(LEVELS.all, ''),
  }),
}

const reserving = {
  few: statement<[tenantId: number, id: number], ProductWithStock>({
    name: 'find_product_reserving',
    connection: 'read',
    sql: selectProduct(LEVELS.few, availabilityOrNone('p.id')),
  }),
  all: statement<[tenantId: number, id: number], ProductWithStock>({
    name: 'find_product_at_many_locations_reserving',
    connection: 'slow',
    sql: selectProduct(LEVELS.all, availabilityOrNone('p.id')),
  }),
}

/** A product, deleted or not, and its stock by location. Throws `not_found`. */
export const getProduct = endpoint({
  name: 'products.get',
  scope: 'read:products',
  method: 'GET',
  path: '/products/{id}',
  summary: 'Get a product',
  description: 'The product with its stock by location. A deleted product is returned with `is_active` false.',
  input: productId,
  output: getProductOutput,
  run: async (context, { id }) => {
    const { tenantId } = context.caller
    const product = await readByPolicy(tenantId, {
      plain: () => productWithStock(context, plain, [tenantId, id]),
      reserving: () => productWithStock(context, reserving, [tenantId, id]),
      isReserving: (row) => row.is_reserving === true,
    })
    if (product === undefined) throw new ServiceError('not_found', 'Product not found')
    return withTolerance(shownAvailability(product))
  },
})
