import { statement } from '../../database/statements/statement.ts'
import { EVENT_TIME, recordEvents } from '../events/index.ts'
import { applyStockChanges } from './apply-stock-changes.ts'
import { NAMED_PRODUCTS } from './product-by-id-or-sku.ts'

/**
 * Like `set_stock_levels`, for updates of which at least one has an expected quantity. Returns the updates that were not made; those of a
 * known product with the level that they met.
 */
export const setExpectedLevels = statement<
  [
    tenantId: number,
    positions: number[],
    productIds: (number | null)[],
    skus: (string | null)[],
    locationIds: string[],
    quantities: number[],
    defaultWarehouseId: number,
    createdBy: string,
    expectedQuantities: (number | null)[],
  ],
  { position: number; product_id: number | null; exists: boolean; current_quantity: number | null }
>({
  name: 'set_expected_levels',
  connection: 'write',
  sql: `with recursive ${EVENT_TIME.cte}, item as materialized (
     select i.position, i.product_id as given_product_id, i.location_id, i.quantity, i.expected_quantity, ${NAMED_PRODUCTS.columns}
     from unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::numeric[], $9::numeric[])
       i (position, product_id, sku, location_id, quantity, expected_quantity)
     ${NAMED_PRODUCTS.joins}
   ), stock_change as materialized (
     select position, product_id, location_id, quantity as amount, expected_quantity, 'ADJUSTMENT' as movement_type, null::text as reason,
       null::bigint as user_id, null::bigint as order_id, null::text as other_location_id
     from item where product_id is not null
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'together',
     amount: 'compared',
     eventReason: 'inventory_count',
     defaultWarehouse: '$7::bigint',
     createdBy: '$8::text',
   })}, ${recordEvents('stock_event', { areOfOneTime: true })}
   select i.position, coalesce(i.given_product_id, i.product_id) as product_id, i.exists, c.found as current_quantity
   from item i left join compared_change c using (position)
   where i.product_id is null or not c.is_made`,
})
