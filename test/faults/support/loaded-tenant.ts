import { sql } from 'kysely'
import { expect } from 'vitest'
import { insertApiKey } from '../../../server/src/api-keys/index.ts'
import type { Database } from '../../../server/src/database/database.ts'
import { createTenant } from '../../../server/src/tenants/index.ts'
import { send, type TestTenant } from '../../support/service.ts'

const PRODUCTS = 20

/** A tenant with an admin key; its requests go to the API server at this address. */
export async function newTenant(db: Database, apiUrl: () => string): Promise<TestTenant> {
  const { id } = await createTenant(db, 'load')
  const createKey: TestTenant['createKey'] = async (options = {}) =>
    (await insertApiKey(db, id, 'live', { name: 'load', scopes: ['admin'], ...options })).key
  const key = await createKey()
  const request: TestTenant['request'] = (method, requestPath, body, options) =>
    send(`${apiUrl()}/api/v1${requestPath}`, method, body, { key, ...options })
  return { id, key, request, createKey }
}

/** Products with plenty of stock. */
export async function newProducts(db: Database, tenant: TestTenant): Promise<{ id: number; barcode: string }[]> {
  const products = Array.from({ length: PRODUCTS }, (_, n) => ({ barcode: `barcode-${n}`, name: `Product ${n}` }))
  expect((await tenant.request('POST', '/products/bulk', { products })).body.data.created).toBe(PRODUCTS)
  const { rows } = await sql<{
    id: number
    barcode: string
  }>`select id, barcode from products where tenant_id = ${tenant.id}`.execute(db.kysely)
  const updates = rows.map(({ id }) => ({ product_id: id, location_id: 'A', quantity: 1_000_000 }))
  expect((await tenant.request('POST', '/stock/bulk', { updates })).body.data.success).toBe(PRODUCTS)
  return rows
}

/** What is not delivered yet. */
export async function undelivered(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from event_outbox) + (select count(*) from waiting_deliveries) as count`.execute(db.kysely)
  return rows[0]?.count ?? -1
}

/** Ends the leases of deliveries that were in flight when their worker was killed: waiting for that takes a minute. */
export async function endLeases(db: Database): Promise<void> {
  await sql`update waiting_deliveries set lease_until = now() where state = 'in_flight'`.execute(db.kysely)
  await sql`update webhook_lanes set due_at = now(), owner_until = now()`.execute(db.kysely)
}
