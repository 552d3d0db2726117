import type { Database, Queryable } from '../database/database.ts'
import { insertApiKey } from '../domain/api-keys/index.ts'
import { recordCommand } from '../domain/audit/index.ts'
import { createSignInCode } from '../domain/sessions/index.ts'
import { createTenant } from '../domain/tenants/index.ts'
import { demoCatalog } from './catalog.ts'
import { simulateHistory } from './history.ts'
import { type DemoWorld, insertHistory } from './insert-history.ts'
import { demoLocations } from './places.ts'
import { DAY_MS } from './records.ts'

/** What a demo is filled with. */
export interface FillOptions {
  seed: number
  products: number
  days: number
  orders: number
}

/** A tenant of a demo, with a new admin key and a code that signs in to the dashboard. */
export interface FilledTenant {
  tenantId: number
  key: string
  code: string
  /** Undefined when an earlier run has filled the tenant. */
  world: DemoWorld | undefined
}

/** Makes the tenant of a seed with its history, or finds it. It has a new key in any case. */
export async function fillTenant(db: Database, options: FillOptions): Promise<FilledTenant> {
  const { seed } = options
  return await db.transaction(async (tx) => {
    const known = await tx.kysely
      .selectFrom('tenants')
      .select('id')
      .where('demo_seed', '=', seed)
      .where('sandbox_of', 'is', null)
      .executeTakeFirst()
    const tenantId = known?.id ?? (await createDemo(tx, seed))
    const world = known === undefined ? demoWorld(options, Date.now()) : undefined
    if (world !== undefined) await insertHistory(tx, tenantId, world)
    const { id: keyId, key } = await insertApiKey(tx, tenantId, 'live', { name: 'demo key', preset: 'full_access' })
    const input = { ...options }
    await recordCommand(tx, {
      tenantId,
      command: 'demo',
      operation: known === undefined ? 'tenants.create' : 'apiKeys.create',
      input,
    })
    return { tenantId, key, code: await createSignInCode(tx, { tenantId, keyId }), world }
  })
}

/** A tenant of anyone may have the name of a demo, so demos are marked. */
async function createDemo(tx: Queryable, seed: number): Promise<number> {
  const { id } = await createTenant(tx, `Demo ${seed}`)
  await tx.kysely.updateTable('tenants').set({ demo_seed: seed }).where('id', '=', id).execute()
  return id
}

/** The world of these options on the UTC day of `now`. */
export function demoWorld({ seed, products: count, days, orders: openOrders }: FillOptions, now: number): DemoWorld {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const products = demoCatalog(seed, count)
  const locations = demoLocations(count)
  const history = simulateHistory({ seed, products, locations, days, openOrders, today })
  return { products, locations, history, since: today - Math.max(days, 1) * DAY_MS }
}
