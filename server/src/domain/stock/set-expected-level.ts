import type { z } from 'zod'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import { recordEvents } from '../events/index.ts'
import { applyStockChanges } from './apply-stock-changes.ts'
import type { setLevelInput } from './schemas.ts'
import { groupOf, type StockCaller } from './stock-caller.ts'

interface Setting {
  caller: StockCaller
  input: z.infer<typeof setLevelInput>
  expectedQuantity: number
}

interface Compared {
  call: number
  product_id: number
  location_id: string
  /** The level when the call's turn came. */
  current_quantity: number
  /** Null, like the two below, when the level is not the expected quantity. */
  previous_quantity: number | null
  new_quantity: number | null
  movement_id: string | null
}

type Values = [
  tenantId: number | undefined,
  productIds: number[],
  locationIds: string[],
  quantities: number[],
  reasons: (string | null)[],
  defaultWarehouseId: number | undefined,
  createdBy: string | undefined,
  expectedQuantities: number[],
]

/** Sets levels that are what is expected of them. No row for an unknown product. */
export const setExpectedLevel: BatchedStatement<Setting, Compared, Values> = {
  statement: statement({
    name: 'set_expected_level',
    connection: 'write',
    sql: `with stock_change as materialized (
       select i.position, p.id as product_id, i.location_id, i.amount, i.expected_quantity, 'ADJUSTMENT' as movement_type, i.reason,
         null::bigint as user_id, null::bigint as order_id, null::text as other_location_id
       from unnest($2::bigint[], $3::text[], $4::numeric[], $5::text[], $8::numeric[]) with ordinality
         i (product_id, location_id, amount, reason, expected_quantity, position)
       cross join lateral (select id from products where tenant_id = $1 and id = i.product_id limit 1) p
     ), ${applyStockChanges({
       source: 'stock_change',
       rows: 'apart',
       amount: 'compared',
       eventReason: 'inventory_count',
       defaultWarehouse: '$6::bigint',
       createdBy: '$7::text',
     })}, ${recordEvents('stock_event')}
     select c.position::int - 1 as call, s.product_id, s.location_id, c.found as current_quantity, m.previous_quantity, m.new_quantity,
       m.id::text as movement_id
     from compared_change c join stock_change s using (position) left join stock_movement m using (position)`,
  }),
  valuesOf: (settings) => [
    settings[0]?.caller.tenantId,
    settings.map(({ input }) => input.productId),
    settings.map(({ input }) => input.location_id),
    settings.map(({ input }) => input.quantity),
    settings.map(({ input }) => input.reason ?? null),
    settings[0]?.caller.defaultWarehouse.id,
    settings[0]?.caller.keyName,
    settings.map(({ expectedQuantity }) => expectedQuantity),
  ],
  groupOf: ({ caller }) => groupOf(caller, 'id'),
  changedBy: ({ input }) => [String(input.productId)],
  sizeOf: () => 1,
}
