import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, vi } from 'vitest'
import { expectNothingLost } from '../faults/support/nothing-lost.ts'
import { it, rowsOf } from './support/moving.ts'

// Its servers and commands are processes of their own, and start in the first tests.
vi.setConfig({ testTimeout: 300_000 })

describe('a tenant under load', () => {
  it('moves to another shard and back', async ({ installation, loaded, feed }) => {
    const { cli, db } = installation
    await delay(1_000)
    const there = await cli('tenants', 'move', String(loaded.tenant.id), '--to', '2', '--json')
    console.log(there.stderr, there.stdout)
    expect(there.exitCode).toBe(0)
    expect(await rowsOf(db[1], [loaded.tenant.id])).toEqual({})
    console.log(loaded.load.acknowledged, loaded.load.faults.slice(0, 5), feed.ids.length)
    await expectNothingLost({ ...loaded, db: db[2] }, { endsLeases: true, withinMs: 30_000 })
    await feed.expectAll(db[2], loaded.tenant.id)
  })
})
