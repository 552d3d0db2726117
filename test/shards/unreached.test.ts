import Fastify from 'fastify'
import { expect, onTestFinished } from 'vitest'
import { Exports } from '@fulfillment/server/http/pages/exports.ts'
import { sealTicket } from '@fulfillment/server/http/pages/export-ticket.ts'
import { KeyCache } from '@fulfillment/server/http/key-cache.ts'
import type { Caller } from '@fulfillment/server/procedures/context.ts'
import type { ExportedList } from '@fulfillment/server/procedures/exported-list.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { Shards } from '@fulfillment/server/shards/shards.ts'
import { it } from '../support/it.ts'

it('the last use of keys is recorded although the tenant of one of them was moved to a shard that was never reached', async ({
  service,
  tenant,
}) => {
  const moved = await service.newTenant()
  const shards = new Shards(service.db)
  const errors: unknown[] = []
  const cache = new KeyCache(shards, (error) => errors.push(error))
  for (const { key } of [moved, tenant]) expect(await cache.find(key)).toBeDefined()
  shards.put({ id: 2, firstTenantId: 4_000_000, db: undefined })
  shards.place([{ id: moved.id, sandbox_id: 5_000_001, shard_id: 2, state: 'settled' }])
  await cache.close()
  const { rows } = await service.db.dedicatedPool.query<{ tenant_id: number }>(
    'select distinct tenant_id from api_keys where last_used_at is not null and tenant_id = any ($1)',
    [[moved.id, tenant.id]],
  )
  expect(rows).toEqual([{ tenant_id: tenant.id }])
  expect(errors).toMatchObject([{ errorCode: 'service_unavailable' }])
})

it('the last use of keys is recorded although somebody locks the key of one tenant', async ({ service, tenant }) => {
  const locked = await service.newTenant()
  const cache = new KeyCache(new Shards(service.db), () => {})
  for (const { key } of [locked, tenant]) expect(await cache.find(key)).toBeDefined()
  const lock = await service.db.dedicatedPool.connect()
  try {
    await lock.query('begin; set local idle_in_transaction_session_timeout = 0')
    await lock.query('select from api_keys where tenant_id = $1 for update', [locked.id])
    await cache.close()
    const { rows } = await lock.query('select tenant_id from api_keys where last_used_at is not null and tenant_id = any ($1)', [
      [locked.id, tenant.id],
    ])
    expect(rows).toEqual([{ tenant_id: tenant.id }])
  } finally {
    lock.release(true)
  }
})

it('an export that begins when the shard of its tenant is lost from sight fails, and does not keep later ones from running', async ({
  service,
  tenant,
}) => {
  const shards = new Shards(service.db)
  shards.put({ id: 2, firstTenantId: 4_000_000, db: undefined })
  let isMoved = true
  const list: ExportedList = {
    // It is read between the look at the link and the first row.
    get name() {
      shards.place(isMoved ? [{ id: tenant.id, sandbox_id: 5_000_001, shard_id: 2, state: 'settled' }] : [])
      return 'products'
    },
    scope: 'read:products',
    columns: ['name'],
    async *read() {
      yield [{ name: 'Tea' }]
    },
  }
  const encryption = createEncryption('of this server')
  const session = { id: 1, tenantId: tenant.id }
  const caller = { tenantId: tenant.id, scopes: ['admin'], mode: 'live', session } as unknown as Caller
  const exports = new Exports({
    shards,
    encryption,
    lists: [list],
    authentication: { authenticate: async () => {}, callerInMode: async () => caller, requireStill: async () => {} },
    limit: undefined,
  })
  const app = Fastify({ routerOptions: { maxParamLength: 2_000 } })
  app.get('/:token', (request, reply) => exports.send(request, reply))
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const ticket = sealTicket({ session, mode: 'live', resource: 'products', query: {} }, Date.now(), encryption)
  const download = async () => await fetch(`${origin}/${ticket}`)
  expect((await download()).ok).toBe(false)
  isMoved = false
  shards.place([])
  const later = await download()
  expect([later.status, await later.text()]).toEqual([200, expect.stringContaining('Tea')])
})
