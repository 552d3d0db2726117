import { sql } from 'kysely'
import { expect } from 'vitest'
import { openDatabase, type Database } from '@fulfillment/server/database/database.ts'
import { startReceiver, type Receiver } from '../../support/receiver.ts'
import { newTenant, type TestTenant } from '../../support/service.ts'
import { Load } from './load.ts'

const PRODUCTS = 20

/** A tenant under load, and all that is needed to check the result. */
export interface Loaded {
  db: Database
  tenant: TestTenant
  /** Gets every event of the tenant. */
  receiver: Receiver
  load: Load
  stop(): Promise<void>
}

/** Creates a tenant with products and a webhook in the database, and starts its load on the API at `apiUrl`. */
export async function startLoad(databaseUrl: string, apiUrl: string, options?: { thinkMs?: number }): Promise<Loaded> {
  const db = openDatabase(databaseUrl, { exclusiveConnections: 2, pipelinedConnections: 1 })
  const receiver = await startReceiver()
  const tenant = await newTenant(apiUrl, db)
  await tenant.request('POST', '/webhooks', { name: 'everything', url: receiver.url, events: ['*'] })
  const load = new Load(apiUrl, tenant.key, await newProducts(db, tenant), options)
  return {
    db,
    tenant,
    receiver,
    load,
    stop: async () => {
      await load.stop()
      await receiver.close()
      await db.close()
    },
  }
}

/** Creates products with plenty of stock. */
async function newProducts(db: Database, tenant: TestTenant): Promise<{ id: number; barcode: string }[]> {
  const products = Array.from({ length: PRODUCTS }, (_, n) => ({ barcode: `barcode-${n}`, name: `Product ${n}` }))
  expect((await tenant.request('POST', '/products/bulk', { products })).body.data.created).toBe(PRODUCTS)
  const { rows } = await sql<{ id: number; barcode: string }>`
    select id, barcode from products where tenant_id = ${tenant.id}`.execute(db.kysely)
  const updates = rows.map(({ id }) => ({ product_id: id, location_id: 'A', quantity: 1_000_000 }))
  expect((await tenant.request('POST', '/stock/bulk', { updates })).body.data.success).toBe(PRODUCTS)
  return rows
}

/** Number of events and deliveries that are not delivered yet. */
export async function undelivered(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from event_outbox) + (select count(*) from waiting_deliveries) as count`.execute(db.kysely)
  return rows[0]?.count ?? -1
}

/** Ends the leases of deliveries that were in flight when their worker was killed. Otherwise they end after a minute. */
export async function endLeases(db: Database): Promise<void> {
  await sql`update waiting_deliveries set lease_until = now() where state = 'in_flight'`.execute(db.kysely)
  await sql`update webhook_lanes set due_at = now(), owner_until = now()`.execute(db.kysely)
}
