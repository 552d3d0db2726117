import { z } from 'zod'
import type { Caller } from '../../procedures/context.ts'
import { id } from '../../procedures/fields/fields.ts'
import { itemError } from '../../procedures/invalid-input.ts'
import { mapInTurns } from '../../runtime/event-loop/turns.ts'
import { OTHER_PRODUCT } from './product-by-id-or-sku.ts'
import { otherQuantity } from './quantity-conflict.ts'
import { type bulkSetLevelsOutput, stockUpdate } from './schemas.ts'

// The parts of a bulk call and of its check.

/** A valid update, and its index in the call. */
export type PositionedUpdate = z.infer<typeof stockUpdate> & { position: number }

/** A valid update that was not made. */
export interface UnmadeUpdate {
  position: number
  /** That of the update, or of the product with its SKU. */
  product_id: number | null
  /** Whether a product has that id or SKU. */
  exists: boolean
  /** The level that it met, when that is not its `expected_quantity`. Null when it names no product. */
  current_quantity: number | null
}

type Response = z.infer<typeof bulkSetLevelsOutput>
type ItemError = Omit<Response['errors'][number], 'index'> & { position: number }

/** The response to a bulk call. `apply` gets the valid updates, and returns those that were not made. */
export async function bulkResponse(
  given: readonly unknown[],
  apply: (updates: readonly PositionedUpdate[]) => Promise<readonly UnmadeUpdate[]>,
): Promise<Response> {
  const items = await mapInTurns(given, (item) => stockUpdate.safeParse(item))
  const updates = items.flatMap((item, position) => (item.success ? [{ ...item.data, position }] : []))
  const malformed = items.flatMap((item, position) =>
    item.success ? [] : [{ position, product_id: productIdOf(given[position]), error: itemError(item.error) }],
  )
  const unmade = updates.length === 0 ? [] : await apply(updates)
  const expectedAt = new Map(updates.map(({ position, expected_quantity }) => [position, expected_quantity ?? 0]))
  const refused = unmade.map((update) => errorOf(update, expectedAt.get(update.position) ?? 0))
  const errors: ItemError[] = [...malformed, ...refused].toSorted((a, b) => a.position - b.position)
  return {
    success: items.length - errors.length,
    errors: errors.map(({ product_id, error, position, ...conflict }) => ({ product_id, error, index: position, ...conflict })),
  }
}

export type ValuesOfUpdates = [
  tenantId: number,
  positions: number[],
  productIds: (number | null)[],
  skus: (string | null)[],
  locationIds: string[],
  quantities: number[],
]

export function valuesOf({ tenantId }: Caller, updates: readonly PositionedUpdate[]): ValuesOfUpdates {
  return [
    tenantId,
    updates.map((update) => update.position),
    updates.map((update) => update.product_id ?? null),
    updates.map((update) => update.sku ?? null),
    updates.map((update) => update.location_id),
    updates.map((update) => update.quantity),
  ]
}

export function expectedQuantities(updates: readonly PositionedUpdate[]): (number | null)[] {
  return updates.map((update) => update.expected_quantity ?? null)
}

function errorOf({ position, product_id, exists, current_quantity: current }: UnmadeUpdate, expected: number): ItemError {
  const update = { position, product_id: product_id ?? 0 }
  if (current === null) return { ...update, error: exists ? OTHER_PRODUCT : 'Product not found' }
  return { ...update, error: `expected_quantity: ${otherQuantity(expected, current)}`, current_quantity: current }
}

const itemWithProductId = z.object({ product_id: id })

function productIdOf(item: unknown): number {
  return itemWithProductId.safeParse(item).data?.product_id ?? 0
}
