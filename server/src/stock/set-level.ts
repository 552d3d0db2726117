import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { recordEvents } from '../events/index.ts'
import { applyStockChanges } from './apply-stock-changes.ts'
import type { setLevelInput, setLevelOutput } from './schemas.ts'

const setStockLevel = statement<
  [
    tenantId: number,
    productId: number,
    locationId: string,
    quantity: number,
    reason: string | null,
    defaultWarehouseId: number,
    createdBy: string,
  ],
  z.infer<typeof setLevelOutput>
>(
  'set_stock_level',
  `with stock_change as materialized (
     select 1 as position, id as product_id, $3::text as location_id, $4::numeric as amount, 'ADJUSTMENT' as movement_type, $5::text as reason,
       null::bigint as user_id, null::bigint as order_id, null::text as other_location_id
     from products where tenant_id = $1 and id = $2
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'one',
     amount: 'absolute',
     eventReason: 'inventory_count',
     defaultWarehouse: '$6::bigint',
     createdBy: '$7::text',
   })}, ${recordEvents('stock_event')}
   select product_id, location_id, previous_quantity, new_quantity, id::text as movement_id from stock_movement`,
)

/** Sets the quantity of a product at a location. Errors: `not_found`. */
export async function setLevel(
  context: RequestContext,
  input: z.infer<typeof setLevelInput>,
): Promise<z.infer<typeof setLevelOutput>> {
  const { tenantId, defaultWarehouse, keyName } = context.caller
  const row = await context.db.runOne(setStockLevel, [
    tenantId,
    input.productId,
    input.location_id,
    input.quantity,
    input.reason ?? null,
    defaultWarehouse.id,
    keyName,
  ])
  if (row === undefined) throw new ServiceError('not_found', 'Product not found')
  return row
}
