import { expect } from 'vitest'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { closedPort, until } from '../support/receiver.ts'
import { stockedProduct } from '../support/picking.ts'
import { newTenant } from '../support/service.ts'
import { it } from '../support/it.ts'

const ENCRYPTION_KEY = 'encryption key of the tests'

it('a call whose tenant is moved out of reach of the server before the response is in the log as completed', async ({
  database,
  startProcess,
}) => {
  const { db, url } = database
  const server = await startProcess({ DATABASE_URL: url, ENCRYPTION_KEY, LOG_LEVEL: 'info' })
  const tenant = await newTenant(server.url, db)
  const subscription = { name: 'shop', url: `${await closedPort()}/`, events: ['stock/updated'] }
  expect((await tenant.request('POST', '/webhooks', subscription)).status).toBe(200)
  const tea = await stockedProduct(tenant, { A: 5 })
  const place = async (id: number, state: string): Promise<unknown> =>
    await db.dedicatedPool.query(
      'insert into moved_tenants (id, sandbox_id, shard_id, other_id, state, moves, epoch) values ($1, $2, 9, $3, $4, 1, 1)',
      [id, id + 1_000, state === 'settled' ? null : 1, state],
    )
  const { host } = new URL(await closedPort())
  await db.dedicatedPool.query('insert into shards (id, url_ciphertext, first_tenant_id) values (9, $1, 9000000)', [
    createEncryption(ENCRYPTION_KEY).encrypt(`postgres://nobody@${host}/lost`),
  ])
  // While a tenant is being moved, servers read the map ten times a second.
  await place(8_000_000, 'copying')
  await server.printed(/shard cannot be used/)

  const client = await db.dedicatedPool.connect()
  await client.query('begin')
  await client.query('select from stock_levels where tenant_id = $1 for update', [tenant.id])
  const body = { sku: tea.sku, location_id: 'A', adjustment_quantity: 1 }
  const waiting = tenant.request('POST', '/stock/adjustment', body)
  await until(async () => {
    const { rows } = await client.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows.length > 0
  }, 'the call to wait for the lock')
  await place(tenant.id, 'settled')
  await until(async () => (await tenant.request('GET', '/orders')).status === 503, 'the server to lose the tenant')
  await client.query('commit')
  client.release()
  expect((await waiting).status).toBe(200)
  const isLogged = (): boolean => /"url":"\/api\/v1\/stock\/adjustment","status":200/.test(server.output())
  await until(isLogged, 'the call to be logged')
})
