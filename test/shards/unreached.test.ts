import { expect } from 'vitest'
import { KeyCache } from '@fulfillment/server/http/key-cache.ts'
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
