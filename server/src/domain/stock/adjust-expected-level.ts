import type { z } from 'zod'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import { recordEvents } from '../events/index.ts'
import { applyStockChanges } from './apply-stock-changes.ts'
import { NAMED_PRODUCTS } from './product-by-id-or-sku.ts'
import type { adjustStockInput } from './schemas.ts'
import { groupOf, type StockCaller } from './stock-caller.ts'

interface Adjustment {
  caller: StockCaller
  input: z.infer<typeof adjustStockInput>
  expectedQuantity: number
}

interface Compared {
  call: number
  product_id: number | null
  exists: boolean
  /** The level when the call's turn came; null without a product. */
  current_quantity: number | null
  is_expected: boolean | null
  /** Null, like the one below, when nothing was changed. */
  previous_quantity: number | null
  new_quantity: number | null
}

type Values = [
  tenantId: number | undefined,
  productIds: (number | null)[],
  skus: (string | null)[],
  locationIds: string[],
  amounts: number[],
  reasons: (string | null)[],
  defaultWarehouseId: number | undefined,
  createdBy: string | undefined,
  expectedQuantities: number[],
]

/** Columns of a change by hand, besides those that name its level and its `amount`. */
export const MOVEMENT_COLUMNS = `case when amount > 0 then 'IN' else 'OUT' end as movement_type, reason,
         null::bigint as user_id, null::bigint as order_id, null::text as other_location_id`

/** Adjusts levels that are what is expected of them: what they become is then known, so they are set. */
export const adjustExpectedLevel: BatchedStatement<Adjustment, Compared, Values> = {
  statement: statement({
    name: 'adjust_expected_level',
    connection: 'write',
    sql: `with item as materialized (
       select i.position, i.location_id, i.amount, i.expected_quantity, i.reason, ${NAMED_PRODUCTS.columns}
       from unnest($2::bigint[], $3::text[], $4::text[], $5::numeric[], $6::text[], $9::numeric[]) with ordinality
         i (product_id, sku, location_id, amount, reason, expected_quantity, position)
       ${NAMED_PRODUCTS.joins}
     ), stock_change as materialized (
       select position, product_id, location_id, expected_quantity + amount as amount, expected_quantity,
         ${MOVEMENT_COLUMNS}
       from item where product_id is not null
     ), ${applyStockChanges({
       source: 'stock_change',
       rows: 'apart',
       amount: 'compared',
       eventReason: 'manual_adjustment',
       defaultWarehouse: '$7::bigint',
       createdBy: '$8::text',
     })}, ${recordEvents('stock_event')}
     select i.position::int - 1 as call, i.product_id, i.exists, c.found as current_quantity, c.found = i.expected_quantity as is_expected,
       m.previous_quantity, m.new_quantity
     from item i left join compared_change c using (position) left join stock_movement m using (position)`,
  }),
  valuesOf: (adjustments) => [
    adjustments[0]?.caller.tenantId,
    adjustments.map(({ input }) => input.product_id ?? null),
    adjustments.map(({ input }) => input.sku ?? null),
    adjustments.map(({ input }) => input.location_id),
    adjustments.map(({ input }) => input.adjustment_quantity),
    adjustments.map(({ input }) => input.reason ?? null),
    adjustments[0]?.caller.defaultWarehouse.id,
    adjustments[0]?.caller.keyName,
    adjustments.map(({ expectedQuantity }) => expectedQuantity),
  ],
  // As for adjustments of any level.
  groupOf: ({ caller, input }) => groupOf(caller, typeof input.product_id === 'number' ? 'id' : 'sku'),
  changedBy: ({ input }) => [String(input.product_id ?? input.sku)],
  sizeOf: () => 1,
}
