import { expect, vi } from 'vitest'
import { atMost } from '../support/patience.ts'
import { stateOf } from './support/moving.ts'
import { it } from './support/two-shards.ts'

// A server ends a switch after four seconds, and tries again as late.
vi.setConfig({ testTimeout: 200_000 })

it('a switch that cannot be ended, because somebody locks the tenant, does not keep servers from ending those of others', async ({
  service,
  second,
}) => {
  const [locked, free] = [await service.newTenant(), await service.newTenant()]
  const { dedicatedPool } = service.db
  expect(second.url).not.toBe(service.databaseUrl)
  const values = [locked, free].map(({ id }) => `(${id}, ${id + 500_000}`)
  const lock = await dedicatedPool.connect()
  try {
    await dedicatedPool.query(`insert into tenant_fences (id, sandbox_id, is_closed, epoch) values ${values[0]}, true, 1)`)
    await lock.query('begin; set local idle_in_transaction_session_timeout = 0')
    await lock.query('select from tenant_fences where id = $1 for update', [locked.id])
    // As commands leave them that are killed while they switch.
    await dedicatedPool.query(
      `insert into moved_tenants (id, sandbox_id, shard_id, state, other_id, moves, epoch) values
       ${values.map((ids) => `${ids}, 1, 'switching', 2, 1, 1)`).join(', ')}`,
    )
    const directory = { db: { 1: service.db } }
    await expect.poll(() => stateOf(directory, free.id), { timeout: atMost(20_000) }).toBe('copying')
    expect(await stateOf(directory, locked.id)).toBe('switching')
    await lock.query('rollback')
    await expect.poll(() => stateOf(directory, locked.id), { timeout: atMost(20_000) }).toBe('copying')
  } finally {
    lock.release(true)
  }
})
