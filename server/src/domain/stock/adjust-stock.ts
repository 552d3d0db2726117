import type { z } from 'zod'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { isGiven } from '../../procedures/fields/fields.ts'
import { recordEvents } from '../events/index.ts'
import { wasReserving } from '../reservation-core/index.ts'
import { adjustExpectedLevel, MOVEMENT_COLUMNS } from './adjust-expected-level.ts'
import { applyStockChanges } from './apply-stock-changes.ts'
import { changeOneLevel } from './change-one-level.ts'
import { NAMED_PRODUCTS, requireNamedProduct } from './product-by-id-or-sku.ts'
import { quantityConflict } from './quantity-conflict.ts'
import { adjustStockInput, adjustStockOutput } from './schemas.ts'
import { outOfRange, shortage } from './shortage.ts'
import { groupOf, type StockCaller } from './stock-caller.ts'

type Input = z.infer<typeof adjustStockInput>

interface Adjustment {
  caller: StockCaller
  input: Input
}

interface Adjusted {
  call: number
  product_id: number | null
  exists: boolean
  available: number | null
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
]

const BY_HAND = { source: 'stock_change', eventReason: 'manual_adjustment' } as const

type LoneValues = [
  tenantId: number,
  productId: number,
  locationId: string,
  amount: number,
  reason: string | null,
  createdBy: string,
]

/** For one product, named by its id. No row, and no change, unless `changeOneLevel` can make the change. */
const adjustLevel = statement<LoneValues, Adjusted>({
  name: 'adjust_stock_level',
  connection: 'write',
  sql: `with stock_change as materialized (
       select 1 as position, product_id, location_id, amount, ${MOVEMENT_COLUMNS}
       from (select $2::bigint as product_id, $3::text as location_id, $4::numeric as amount, $5::text as reason) i
     ), ${changeOneLevel({ ...BY_HAND, productId: '$2::bigint', locationId: '$3::text', createdBy: '$6::text' })}, ${recordEvents('stock_event', { areWithoutOrders: true })}
     select 0 as call, product_id, true as exists, null::numeric as available, previous_quantity, new_quantity from stock_movement`,
})

const adjustStockLevels: BatchedStatement<Adjustment, Adjusted, Values> = {
  statement: statement({
    name: 'adjust_stock_levels',
    connection: 'write',
    sql: `with item as materialized (
       select i.position, i.location_id, i.amount, i.reason, ${NAMED_PRODUCTS.columns}
       from unnest($2::bigint[], $3::text[], $4::text[], $5::numeric[], $6::text[]) with ordinality i (product_id, sku, location_id, amount, reason, position)
       ${NAMED_PRODUCTS.joins}
     ), stock_change as materialized (
       select position, product_id, location_id, amount, ${MOVEMENT_COLUMNS}
       from item where product_id is not null
     ), ${applyStockChanges({
       ...BY_HAND,
       rows: 'apart',
       amount: 'relative',
       defaultWarehouse: '$7::bigint',
       createdBy: '$8::text',
     })}, ${recordEvents('stock_event')}
     select i.position::int - 1 as call, i.product_id, i.exists, s.available, m.previous_quantity, m.new_quantity
     from item i left join short_level s using (product_id) left join stock_movement m using (position)`,
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
  ],
  // An id and an SKU may name the same product, so calls by id and calls by SKU never share a statement.
  groupOf: ({ caller, input }) => groupOf(caller, typeof input.product_id === 'number' ? 'id' : 'sku'),
  changedBy: ({ input }) => [String(input.product_id ?? input.sku)],
  sizeOf: () => 1,
  alone: {
    statement: adjustLevel,
    isFor: ({ caller, input }) => isGiven(input.product_id) && !isGiven(input.sku) && !wasReserving(caller.tenantId),
    valuesOf: ({ caller, input }) => [
      caller.tenantId,
      input.product_id,
      input.location_id,
      input.adjustment_quantity,
      input.reason ?? null,
      caller.keyName,
    ],
  },
  // The statement for a lone call returns no row when it cannot make the change.
  secondRun: { isNeeded: (rows) => rows.length === 0 },
}

/**
 * Adds or removes stock of a product at a location. Throws `not_found`, `validation_error` when product_id and sku name different products,
 * `quantity_conflict` when the level is not the one expected, and `adjustment_error` when the removal exceeds the stock or the level would
 * exceed the maximum.
 */
export const adjustStock = endpoint({
  name: 'stock.adjust',
  scope: 'write:stock',
  method: 'POST',
  path: '/stock/adjustment',
  summary: 'Adjust a stock level',
  description:
    'Adds stock of a product at a location (`IN` movement) or removes it (`OUT` movement). Stock never falls below zero. With `expected_quantity`, the level changes only if it equals that quantity.',
  errors: ['not_found', 'quantity_conflict', 'adjustment_error'],
  isOneStatement: true,
  input: adjustStockInput,
  output: adjustStockOutput,
  run: async (context, input) => {
    const change = input.adjustment_quantity
    const expected = input.expected_quantity ?? null
    const adjusted = await (expected === null ? adjustAny(context, input) : adjustExpected(context, input, expected))
    const { product_id, available, previous_quantity, new_quantity } = adjusted
    if (previous_quantity === null || new_quantity === null)
      throw change > 0 ? outOfRange() : shortage(input.location_id, -change, available)
    return {
      type: change > 0 ? ('addition' as const) : ('removal' as const),
      quantity_adjusted: change,
      stock: { product_id, location_id: input.location_id, previous_quantity, new_quantity },
    }
  },
})

type Result = Omit<Adjusted, 'product_id' | 'call' | 'exists'> & { product_id: number }

async function adjustAny({ db, caller }: RequestContext, input: Input): Promise<Result> {
  const [row] = await db.runBatched(adjustStockLevels, { caller, input })
  return requireNamedProduct(row)
}

async function adjustExpected({ db, caller }: RequestContext, input: Input, expected: number): Promise<Result> {
  const [row] = await db.runBatched(adjustExpectedLevel, { caller, input, expectedQuantity: expected })
  const { current_quantity: current, is_expected, ...named } = requireNamedProduct(row)
  if (is_expected !== true) throw quantityConflict(expected, current ?? 0)
  return { ...named, available: current }
}
