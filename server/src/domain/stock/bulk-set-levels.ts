import { connectionFor } from '../../database/connections/connection-for.ts'
import { statement } from '../../database/statements/statement.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { EVENT_TIME, recordEvents } from '../events/index.ts'
import { applyStockChanges } from './apply-stock-changes.ts'
import {
  bulkResponse,
  expectedQuantities,
  type PositionedUpdate,
  type UnmadeUpdate,
  valuesOf,
  type ValuesOfUpdates,
} from './bulk-updates.ts'
import { NAMED_PRODUCTS } from './product-by-id-or-sku.ts'
import { bulkSetLevelsInput, bulkSetLevelsOutput } from './schemas.ts'
import { setExpectedLevels } from './set-expected-levels.ts'
import { mayBeKnown, setKnownLevels } from './set-known-levels.ts'

type Rejected = Pick<UnmadeUpdate, 'position' | 'product_id' | 'exists'>

const setStockLevels = statement<[...ValuesOfUpdates, defaultWarehouseId: number, createdBy: string], Rejected>({
  name: 'set_stock_levels',
  connection: 'write',
  sql: `with ${EVENT_TIME.cte}, item as materialized (
     select i.position, i.product_id as given_product_id, i.location_id, i.quantity, ${NAMED_PRODUCTS.columns}
     from unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::numeric[]) i (position, product_id, sku, location_id, quantity)
     ${NAMED_PRODUCTS.joins}
   ), stock_change as materialized (
     select position, product_id, location_id, quantity as amount, 'ADJUSTMENT' as movement_type, null::text as reason,
       null::bigint as user_id, null::bigint as order_id, null::text as other_location_id
     from item where product_id is not null
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'together',
     amount: 'absolute',
     eventReason: 'inventory_count',
     defaultWarehouse: '$7::bigint',
     createdBy: '$8::text',
   })}, ${recordEvents('stock_event', { areOfOneTime: true })}
   select position, given_product_id as product_id, exists from item where product_id is null`,
})

/** Sets many quantities, in the order given. An item that fails is reported and does not stop the others. */
export const bulkSetLevels = endpoint({
  name: 'stock.bulk',
  scope: 'write:stock',
  method: 'POST',
  path: '/stock/bulk',
  summary: 'Set many stock levels',
  description:
    'Sets absolute quantities, in the order given. An update that fails is reported in `errors` and does not stop the others. An update with `expected_quantity` is applied only if the level equals it at that moment.',
  input: bulkSetLevelsInput,
  output: bulkSetLevelsOutput,
  run: (context, input) => bulkResponse(input.updates, (updates) => applyUpdates(context, updates)),
})

async function applyUpdates({ caller, db }: RequestContext, updates: readonly PositionedUpdate[]): Promise<UnmadeUpdate[]> {
  const options = connectionFor(updates.length)
  const given = valuesOf(caller, updates)
  const values = [...given, caller.defaultWarehouse.id, caller.keyName] as const
  const expected = expectedQuantities(updates)
  if (expected.some((quantity) => quantity !== null)) return await db.run(setExpectedLevels, [...values, expected], options)
  if (mayBeKnown(caller.tenantId, updates) && (await setKnownLevels(db, [...given, caller.keyName], options))) return []
  const rejected = await db.run(setStockLevels, [...values], options)
  return rejected.map((row) => ({ ...row, current_quantity: null }))
}
