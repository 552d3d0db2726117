import type { z } from 'zod'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import { applyStockChanges } from './apply-stock-changes.ts'
import { quantityConflict } from './quantity-conflict.ts'
import { setLevelInput, setLevelOutput } from './schemas.ts'
import { setExpectedLevel } from './set-expected-level.ts'
import { groupOf, type StockCaller } from './stock-caller.ts'

type Output = z.infer<typeof setLevelOutput>

type Input = z.infer<typeof setLevelInput>

interface Setting {
  caller: StockCaller
  input: Input
}

type Values = [
  tenantId: number | undefined,
  productIds: number[],
  locationIds: string[],
  quantities: number[],
  reasons: (string | null)[],
  defaultWarehouseId: number | undefined,
  createdBy: string | undefined,
]

const setStockLevel: BatchedStatement<Setting, Output & { call: number }, Values> = {
  statement: statement({
    name: 'set_stock_level',
    connection: 'write',
    sql: `with stock_change as materialized (
       select i.position, p.id as product_id, i.location_id, i.amount, 'ADJUSTMENT' as movement_type, i.reason,
         null::bigint as user_id, null::bigint as order_id, null::text as other_location_id
       from unnest($2::bigint[], $3::text[], $4::numeric[], $5::text[]) with ordinality i (product_id, location_id, amount, reason, position)
       join products p on p.tenant_id = $1 and p.id = i.product_id
     ), ${applyStockChanges({
       source: 'stock_change',
       rows: 'apart',
       amount: 'absolute',
       eventReason: 'inventory_count',
       defaultWarehouse: '$6::bigint',
       createdBy: '$7::text',
     })}, ${recordEvents('stock_event')}
     select position::int - 1 as call, product_id, location_id, previous_quantity, new_quantity, id::text as movement_id from stock_movement`,
  }),
  valuesOf: (settings) => [
    settings[0]?.caller.tenantId,
    settings.map(({ input }) => input.productId),
    settings.map(({ input }) => input.location_id),
    settings.map(({ input }) => input.quantity),
    settings.map(({ input }) => input.reason ?? null),
    settings[0]?.caller.defaultWarehouse.id,
    settings[0]?.caller.keyName,
  ],
  groupOf: ({ caller }) => groupOf(caller, 'id'),
  changedBy: ({ input }) => [String(input.productId)],
  sizeOf: () => 1,
}

/** Sets the quantity of a product at a location. Throws `not_found`, and `quantity_conflict` when the level is not the one expected. */
export const setLevel = endpoint({
  name: 'stock.setLevel',
  scope: 'write:stock',
  method: 'PUT',
  path: '/stock/product/{productId}',
  summary: 'Set a stock level',
  description:
    'Sets the absolute quantity of a product at a location and records an `ADJUSTMENT` movement, even when the quantity stays the same (a confirmed count). With `expected_quantity`, the level changes only if it equals that quantity.',
  errors: ['quantity_conflict'],
  isOneStatement: true,
  input: setLevelInput,
  output: setLevelOutput,
  run: async (context, input) => {
    const expected = input.expected_quantity ?? null
    const row = await (expected === null ? setAny(context, input) : setExpected(context, input, expected))
    if (row === undefined) throw new ServiceError('not_found', 'Product not found')
    return row
  },
})

async function setAny({ db, caller }: RequestContext, input: Input): Promise<Output | undefined> {
  const [row] = await db.runBatched(setStockLevel, { caller, input })
  if (row === undefined) return undefined
  const { call: _, ...output } = row
  return output
}

async function setExpected({ db, caller }: RequestContext, input: Input, expected: number): Promise<Output | undefined> {
  const [row] = await db.runBatched(setExpectedLevel, { caller, input, expectedQuantity: expected })
  if (row === undefined) return undefined
  const { product_id, location_id, previous_quantity, new_quantity, movement_id } = row
  if (previous_quantity === null || new_quantity === null || movement_id === null)
    throw quantityConflict(expected, row.current_quantity)
  return { product_id, location_id, previous_quantity, new_quantity, movement_id }
}
