import { BATCHES } from './features/batches.ts'
import { CATALOG } from './features/catalog.ts'
import { COUNTS } from './features/counts.ts'
import { HOLDS } from './features/holds.ts'
import { LOCATIONS } from './features/locations.ts'
import { ORDERS } from './features/orders.ts'
import { PICKING } from './features/picking.ts'
import { RECEIVING } from './features/receiving.ts'
import { SHIPMENTS } from './features/shipments.ts'
import { STOCK } from './features/stock.ts'
import { UNCHECKED } from './features/unchecked.ts'
import type { Operation } from './operation.ts'

export const OPERATIONS: readonly Operation[] = [
  ...CATALOG,
  ...LOCATIONS,
  ...STOCK,
  ...ORDERS,
  ...PICKING,
  ...BATCHES,
  ...HOLDS,
  ...RECEIVING,
  ...COUNTS,
  ...SHIPMENTS,
  ...UNCHECKED,
]

/** Operations of the document that the simulator does not call yet. */
const NOT_CALLED: ReadonlySet<string> = new Set([
  'webhooks.create',
  'webhooks.get',
  'webhooks.update',
  'webhooks.delete',
  'webhooks.rotateSecret',
  'webhooks.test',
  'webhooks.deliveries',
  'webhooks.getDelivery',
  'webhooks.retryDelivery',
  'webhooks.replay',
  'events.get',
  'sessions.end',
  'settings.update',
])

/** Throws if an operation of the document has no generator. */
export function checkOperations(document: Record<string, unknown>): void {
  const known = new Set(OPERATIONS.map(({ id }) => id))
  const paths = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>)
  const missing = paths
    .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    .filter((id) => !known.has(id) && !NOT_CALLED.has(id))
  if (missing.length > 0) throw new Error(`operations without a generator in test/simulator: ${missing.join(', ')}`)
}
