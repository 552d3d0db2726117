import { BATCHES } from './features/batches.ts'
import { CATALOG } from './features/catalog.ts'
import { COUNTS } from './features/counts.ts'
import { EXPIRING_HOLDS } from './features/expiring-holds.ts'
import { HOLDS } from './features/holds.ts'
import { KEYS } from './features/keys.ts'
import { LOCATIONS } from './features/locations.ts'
import { ORDERS } from './features/orders.ts'
import { PICKING } from './features/picking.ts'
import { RECEIVING } from './features/receiving.ts'
import { SETTINGS } from './features/settings.ts'
import { SHARED_ORDERS } from './features/shared-orders.ts'
import { SHARED } from './features/shared.ts'
import { SHIPMENTS } from './features/shipments.ts'
import { STOCK } from './features/stock.ts'
import { TIMELINE } from './features/timeline.ts'
import { UNCHECKED } from './features/unchecked.ts'
import { WEBHOOKS } from './features/webhooks.ts'
import type { Operation } from './operation.ts'

export const OPERATIONS: readonly Operation[] = [
  ...CATALOG,
  ...LOCATIONS,
  ...STOCK,
  ...SHARED,
  ...SHARED_ORDERS,
  ...ORDERS,
  ...PICKING,
  ...BATCHES,
  ...HOLDS,
  ...EXPIRING_HOLDS,
  ...RECEIVING,
  ...COUNTS,
  ...SHIPMENTS,
  ...KEYS,
  ...SETTINGS,
  ...WEBHOOKS,
  ...TIMELINE,
  ...UNCHECKED,
]

/** Throws if an operation of the document has no generator. */
export function checkOperations(document: Record<string, unknown>): void {
  const known = new Set(OPERATIONS.map(({ id }) => id))
  const paths = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>)
  const missing = paths
    .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    .filter((id) => !known.has(id))
  if (missing.length > 0) throw new Error(`operations without a generator in test/simulator: ${missing.join(', ')}`)
}
