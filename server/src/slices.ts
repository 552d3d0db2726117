import { apiKeys } from './domain/api-keys/slice.ts'
import { audit } from './domain/audit/slice.ts'
import { barcodes } from './domain/barcodes/slice.ts'
import { events } from './domain/events/slice.ts'
import { flowBatches } from './domain/flow-batches/slice.ts'
import { inbound } from './domain/inbound/slice.ts'
import { locations } from './domain/locations/slice.ts'
import { operators } from './domain/operators/slice.ts'
import { orders } from './domain/orders/slice.ts'
import { picking } from './domain/picking/slice.ts'
import { products } from './domain/products/slice.ts'
import { reports } from './domain/reports/slice.ts'
import { reservations } from './domain/reservations/slice.ts'
import { returns } from './domain/returns/slice.ts'
import { sessions } from './domain/sessions/slice.ts'
import { settings } from './domain/settings/slice.ts'
import { shipments } from './domain/shipments/slice.ts'
import { stock } from './domain/stock/slice.ts'
import { stockCounts } from './domain/counts/slice.ts'
import { timeline } from './domain/timeline/slice.ts'
import { webhooks } from './domain/webhooks/slice.ts'
import type { RouterRecord } from './procedures/procedures.ts'
import { listSlices } from './procedures/slice.ts'
import type { BuiltRouter } from './procedures/trpc.ts'

/** Every slice of the service. The document lists endpoints in this order. */
export const SLICES = listSlices(
  products,
  barcodes,
  stock,
  orders,
  picking,
  flowBatches,
  locations,
  reservations,
  inbound,
  returns,
  stockCounts,
  shipments,
  settings,
  webhooks,
  events,
  apiKeys,
  sessions,
  operators,
  audit,
  reports,
  timeline,
)

/** The type of the router, for tRPC clients in TypeScript. @public */
export type AppRouter = BuiltRouter<RouterRecord<(typeof SLICES)[number]['endpoints'][number]>>
