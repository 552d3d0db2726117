import { apiKeysRouter } from './api-keys/index.ts'
import { auditRouter } from './audit/index.ts'
import { eventsRouter } from './events/index.ts'
import { locationsRouter, warehousesRouter } from './locations/index.ts'
import { ordersRouter } from './orders/index.ts'
import { flowsRouter } from './picking/index.ts'
import { productsRouter } from './products/index.ts'
import { stockRouter } from './stock/index.ts'
import { router } from './trpc.ts'
import { webhooksRouter } from './webhooks/index.ts'

/** Every procedure of the service. */
export const appRouter = router({
  products: productsRouter,
  stock: stockRouter,
  orders: ordersRouter,
  flows: flowsRouter,
  locations: locationsRouter,
  warehouses: warehousesRouter,
  webhooks: webhooksRouter,
  events: eventsRouter,
  apiKeys: apiKeysRouter,
  auditLog: auditRouter,
})

/** What TypeScript callers of `/trpc` give to their tRPC client. @public */
export type AppRouter = typeof appRouter
