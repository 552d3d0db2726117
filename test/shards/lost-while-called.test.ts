import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, onTestFinished } from 'vitest'
import { createOrders, LARGE, openResponse, ORDERS } from '../support/large-list.ts'
import { closedPort, until } from '../support/receiver.ts'
import { stockedProduct } from '../support/picking.ts'
import { newTenant } from '../support/service.ts'
import { it } from '../support/it.ts'
import { addLostShard, ENCRYPTION_KEY } from '../support/lost-shard.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

type Db = TestDatabase['db']

/** Places a tenant in shard 9. While one is being moved there, servers read the map ten times a second. */
async function place({ dedicatedPool }: Db, id: number, state: 'settled' | 'copying'): Promise<void> {
  await dedicatedPool.query(
    'insert into moved_tenants (id, sandbox_id, shard_id, other_id, state, moves, epoch) values ($1, $2, 9, $3, $4, 1, 1)',
    [id, id + 1_000, state === 'settled' ? null : 1, state],
  )
}

/** Adds shard 9, whose server refuses connections, and a tenant that is being moved there. */
async function addShardOfMove(db: Db): Promise<void> {
  await addLostShard(db)
  await place(db, 8_000_000, 'copying')
}

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
  await addShardOfMove(db)
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
  await place(db, tenant.id, 'settled')
  await until(async () => (await tenant.request('GET', '/orders')).status === 503, 'the server to lose the tenant')
  await client.query('commit')
  client.release()
  expect((await waiting).status).toBe(200)
  const isLogged = (): boolean => /"url":"\/api\/v1\/stock\/adjustment","status":200/.test(server.output())
  await until(isLogged, 'the call to be logged')
})

it('a list that is sent in pieces is cut off when its tenant is moved meanwhile, because its rows are then deleted', async ({
  startProcess,
}) => {
  const { db, url, drop } = await openTestDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  const server = await startProcess({ DATABASE_URL: url, ENCRYPTION_KEY, LOG_LEVEL: 'warn' })
  const tenant = await newTenant(server.url, db)
  await createOrders(tenant.request, ORDERS)
  await addShardOfMove(db)
  await server.printed(/shard cannot be used/)
  const response = await openResponse(server.url + LARGE, tenant.key)
  expect(response.statusCode).toBe(200)
  await place(db, tenant.id, 'settled')
  await until(async () => (await tenant.request('GET', '/orders')).status === 503, 'the server to lose the tenant')
  await expect(text(response)).rejects.toThrow('aborted')
})

it('a shard that is out of reach is tried, and reported, every two seconds, also while a tenant is being moved', async ({
  startProcess,
}) => {
  const { db, url, drop } = await openTestDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  await addShardOfMove(db)
  const server = await startProcess({ DATABASE_URL: url, ENCRYPTION_KEY, LOG_LEVEL: 'warn' })
  const reports = (): number => server.output().split('a shard cannot be used').length - 1
  await server.printed(/shard cannot be used/)
  const [begunAt, before] = [performance.now(), reports()]
  await delay(6_000)
  const most = Math.ceil((performance.now() - begunAt) / 1_500) + 1
  expect(reports() - before).toBeLessThanOrEqual(most)
  await until(() => reports() > before, 'the shard to be tried again')
})
