import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { recordEvents } from '../events/index.ts'
import { applyStockChanges } from './apply-stock-changes.ts'
import { namedProduct, requireNamedProduct } from './named-product.ts'
import type { adjustInput, adjustOutput } from './schemas.ts'
import { shortage } from './shortage.ts'

interface Adjustment {
  product_id: number
  is_same: boolean
  available: number | null
  previous_quantity: number | null
  new_quantity: number | null
}

const adjustStockLevel = statement<
  [
    tenantId: number,
    productId: number | null,
    sku: string | null,
    locationId: string,
    change: number,
    reason: string | null,
    defaultWarehouseId: number,
    createdBy: string,
  ],
  Adjustment
>(
  'adjust_stock_level',
  `with ${namedProduct('$2', '$3')}, stock_change as materialized (
     select 1 as position, id as product_id, $4::text as location_id, $5::numeric as amount, case when $5 > 0 then 'IN' else 'OUT' end as movement_type,
       $6::text as reason, null::bigint as user_id, null::bigint as order_id, null::text as other_location_id
     from named_product where is_same
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'one',
     amount: 'relative',
     eventReason: 'manual_adjustment',
     defaultWarehouse: '$7::bigint',
     createdBy: '$8::text',
   })}, ${recordEvents('stock_event')}
   select p.id as product_id, p.is_same, s.available, m.previous_quantity, m.new_quantity
   from named_product p left join short_level s on true left join stock_movement m on true`,
)

/**
 * Adds to the stock of a product at a location, or removes from it. Errors: `not_found`, `validation_error` when product_id and sku
 * name different products, `adjustment_error` when more is to be removed than there is or the level would pass the maximum.
 */
export async function adjustStock(
  context: RequestContext,
  input: z.infer<typeof adjustInput>,
): Promise<z.infer<typeof adjustOutput>> {
  const { tenantId, defaultWarehouse, keyName } = context.caller
  const change = input.adjustment_quantity
  const row = requireNamedProduct(
    await context.db.runOne(adjustStockLevel, [
      tenantId,
      input.product_id ?? null,
      input.sku ?? null,
      input.location_id,
      change,
      input.reason ?? null,
      defaultWarehouse.id,
      keyName,
    ]),
  )
  const { product_id, previous_quantity, new_quantity } = row
  if (previous_quantity === null || new_quantity === null) throw shortage(input.location_id, -change, row.available)
  return {
    type: change > 0 ? 'addition' : 'removal',
    quantity_adjusted: change,
    stock: { product_id, location_id: input.location_id, previous_quantity, new_quantity },
  }
}
