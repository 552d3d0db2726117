import { z } from 'zod'
import { MAX_SHARED_SIZE } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Caller, RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { id } from '../../procedures/fields/fields.ts'
import { itemError } from '../../procedures/invalid-input.ts'
import { mapInTurns } from '../../runtime/event-loop/turns.ts'
import { recordEvents } from '../events/index.ts'
import { applyStockChanges } from './apply-stock-changes.ts'
import { NAMED_PRODUCTS, OTHER_PRODUCT } from './named-product.ts'
import { otherQuantity } from './quantity-conflict.ts'
import { bulkSetLevelsInput, bulkSetLevelsOutput, stockUpdate } from './schemas.ts'
import { setExpectedLevels } from './set-expected-levels.ts'

type StockUpdate = z.infer<typeof stockUpdate>
type PositionedUpdate = StockUpdate & { position: number }
interface ItemError {
  position: number
  product_id: number
  error: string
  /** Of an update whose level is not its `expected_quantity`. */
  current_quantity?: number
}
interface Rejected {
  position: number
  given_product_id: number | null
  exists: boolean
}

type ValuesOfUpdates = [
  tenantId: number,
  positions: number[],
  productIds: (number | null)[],
  skus: (string | null)[],
  locationIds: string[],
  quantities: number[],
  defaultWarehouseId: number,
  createdBy: string,
]

const setStockLevels = statement<ValuesOfUpdates, Rejected>({
  name: 'set_stock_levels',
  lane: 'write',
  sql: `with item as materialized (
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
   })}, ${recordEvents('stock_event')}
   select position, given_product_id, exists from item where product_id is null`,
})

/** Sets many quantities, in the order given. An item that fails is reported and does not stop the others. */
export const bulkSetLevels = endpoint({
  name: 'stock.bulk',
  scope: 'write:stock',
  method: 'POST',
  path: '/stock/bulk',
  summary: 'Set many stock levels',
  description:
    'Sets absolute quantities, in the order given. An update that fails is reported in `errors` and does not stop the others. An update with `expected_quantity` is made only when the level is exactly that when its turn comes.',
  input: bulkSetLevelsInput,
  output: bulkSetLevelsOutput,
  run: async (context, input) => {
    const items = await mapInTurns(input.updates, (item) => stockUpdate.safeParse(item))
    const updates = items.flatMap((item, position) => (item.success ? [{ ...item.data, position }] : []))
    const malformed = items.flatMap((item, position) =>
      item.success ? [] : [{ position, product_id: productIdOf(input.updates[position]), error: itemError(item.error) }],
    )
    const rejected = updates.length === 0 ? [] : await applyUpdates(context, updates)
    const errors: ItemError[] = [...malformed, ...rejected].toSorted((a, b) => a.position - b.position)
    return {
      success: items.length - errors.length,
      errors: errors.map(({ product_id, error, position, ...conflict }) => ({ product_id, error, index: position, ...conflict })),
    }
  },
})

async function applyUpdates({ caller, db }: RequestContext, updates: readonly PositionedUpdate[]): Promise<ItemError[]> {
  const lane = updates.length > MAX_SHARED_SIZE ? 'bulk' : 'write'
  const values = valuesOf(caller, updates)
  const expected = updates.map((update) => update.expected_quantity ?? null)
  if (expected.every((quantity) => quantity === null))
    return (await db.run({ ...setStockLevels, lane }, values)).map((row) => unknownProduct(row))
  const expectedAt = new Map(updates.map(({ position, expected_quantity }) => [position, expected_quantity]))
  const rows = await db.run({ ...setExpectedLevels, lane }, [...values, expected])
  return rows.map(({ current_quantity: current, ...row }) =>
    current === null ? unknownProduct(row) : conflict(row, expectedAt.get(row.position) ?? 0, current),
  )
}

function valuesOf({ tenantId, defaultWarehouse, keyName }: Caller, updates: readonly PositionedUpdate[]): ValuesOfUpdates {
  return [
    tenantId,
    updates.map((update) => update.position),
    updates.map((update) => update.product_id ?? null),
    updates.map((update) => update.sku ?? null),
    updates.map((update) => update.location_id),
    updates.map((update) => update.quantity),
    defaultWarehouse.id,
    keyName,
  ]
}

function unknownProduct({ position, given_product_id, exists }: Rejected): ItemError {
  return { position, product_id: given_product_id ?? 0, error: exists ? OTHER_PRODUCT : 'Product not found' }
}

function conflict({ position, given_product_id }: Rejected, expected: number, current: number): ItemError {
  const error = `expected_quantity: ${otherQuantity(expected, current)}`
  return { position, product_id: given_product_id ?? 0, error, current_quantity: current }
}

const itemWithProductId = z.object({ product_id: id })

function productIdOf(item: unknown): number {
  return itemWithProductId.safeParse(item).data?.product_id ?? 0
}
