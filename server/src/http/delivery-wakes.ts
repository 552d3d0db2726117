import type { Database } from '../database/database.ts'
import { statement } from '../database/statements/statement.ts'
import { BriefCache } from './brief-cache.ts'

interface Known {
  tenantId: number
  isSubscribed: boolean
}

const findSubscription = statement<[tenantId: number], { isSubscribed: boolean }>({
  name: 'find_any_subscription',
  connection: 'read',
  sql: `select exists (select from webhook_subscriptions where tenant_id = $1) as "isSubscribed"`,
})

/** The operations that make and change subscriptions and deliveries begin with this. */
const OF_WEBHOOKS = 'webhooks.'

/**
 * Wakes the delivery engine after the writes of tenants with subscriptions. The look of an engine without work takes a tenth of a small write of a caller
 * alone. After another process made the first subscription of a tenant, the engine may find its events at the next poll only, for 0.8 seconds.
 */
export class DeliveryWakes {
  readonly #subscribed: BriefCache<Known>

  constructor(databaseOf: (tenantId: number) => Pick<Database, 'run'>) {
    this.#subscribed = new BriefCache(async (name) => {
      const tenantId = Number(name)
      const [found] = await databaseOf(tenantId).run(findSubscription, [tenantId])
      return found && { tenantId, isSubscribed: found.isSubscribed }
    })
  }

  /** Calls `wake` if a successful request of the tenant may have made deliveries. */
  wrote(tenantId: number, operation: string | undefined, wake: () => void): void {
    if (operation?.startsWith(OF_WEBHOOKS) === true) this.#subscribed.forget((known) => known.tenantId === tenantId)
    const known = this.#subscribed.find(String(tenantId))
    // If the read fails, the next write reads again.
    if (known instanceof Promise) known.catch(() => {})
    if (known instanceof Promise || known.isSubscribed) wake()
  }
}
