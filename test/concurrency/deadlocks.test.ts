import { expect, vi } from 'vitest'
import { sql } from 'kysely'
import type { Database } from '@fulfillment/server/database/database.ts'
import { it as base } from '../support/it.ts'
import { newOrder } from '../support/orders.ts'
import { OPERATOR, stockedProduct } from '../support/picking.ts'
import { expectConsistentReservations, reserve } from '../support/reservations.ts'
import { newTenant, send } from '../support/service.ts'
import { randomCaller, type Stage } from './support/random-reservations.ts'

const CALLERS = 16
const CALLS = 30
const PICKS = 40
/** The name that Postgres shows for the connections of the servers. */
const SERVER = 'server'

/** `server` starts a server on the database of the file. */
const it = base.extend('server', async ({ startService, database }) => {
  const url = new URL(database.url)
  url.searchParams.set('application_name', SERVER)
  return () => startService({ databaseUrl: url.href })
})

it('callers who change orders, picks and stock wait for one another, but never in a circle, unless a location changes', async ({
  server,
  database: { db },
}) => {
  const service = await server()
  const tenant = await service.newTenant()
  const { body } = await tenant.request('POST', '/warehouses', { name: 'North' })
  await tenant.request('POST', '/locations', { id: 'N', warehouse_id: body.data.id })
  await tenant.request('POST', '/locations', { id: 'Dock', sellable: false })
  const products = await Promise.all([10, 40, 5, 0].map((quantity) => stockedProduct(tenant, { A: quantity, N: 3, Dock: 5 })))
  const stage: Stage = {
    tenant,
    products,
    locations: ['A', 'B', 'N', 'Dock'],
    warehouses: [body.data.id],
    orders: [],
    holds: [],
    keepsLocations: true,
  }
  await reserve(tenant, 'track')
  await Promise.all(Array.from({ length: CALLERS }, (_, seed) => randomCaller(stage, seed + 200, CALLS)))
  await service.stop()
  expect(await deadlocks(db)).toBe(0)
})

it('picks for each of two warehouses from the other one never wait in a circle', async ({ server, database: { db } }) => {
  // A server sends picks of one product one after the other, so there are two.
  const servers = await Promise.all([server(), server()])
  const [one, other] = servers
  const tenant = await newTenant(one.url, db)
  const { body } = await tenant.request('POST', '/warehouses', { name: 'North' })
  const north: number = body.data.id
  await tenant.request('POST', '/locations', { id: 'N', warehouse_id: north })
  const product = await stockedProduct(tenant, { A: 1_000, N: 1_000 })
  await reserve(tenant, 'track')
  const pickAll = async (url: string, fields: object, location_id: string): Promise<void> => {
    const order = await newOrder(tenant, { ...fields, order_detail: [{ barcode: product.barcode, quantity: PICKS }] })
    const flow = await tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })
    for (let number = 0; number < PICKS; number++) {
      const pick = { product_id: product.id, location_id, quantity: 1 }
      const { status } = await send(`${url}/api/v1/flows/${flow.body.data.id}/picks`, 'POST', pick, { key: tenant.key })
      expect(status).toBe(200)
    }
  }
  await Promise.all(
    Array.from({ length: 4 }, () => [pickAll(one.url, {}, 'N'), pickAll(other.url, { warehouse_id: north }, 'A')]).flat(),
  )
  await Promise.all(servers.map((service) => service.stop()))
  expect(await deadlocks(db)).toBe(0)
  await expectConsistentReservations(db, tenant)
})

/**
 * All deadlocks in the database, after its servers were stopped: Postgres counts what a connection saw up to ten seconds late, but at the
 * latest when the connection ends.
 */
async function deadlocks({ kysely }: Database): Promise<number | undefined> {
  await vi.waitFor(
    async () => {
      const { rows } = await sql`
        select pid from pg_stat_activity where datname = current_database() and application_name = ${SERVER}`.execute(kysely)
      expect(rows).toEqual([])
    },
    { timeout: 60_000, interval: 20 },
  )
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(kysely)
  return rows[0]?.deadlocks
}
