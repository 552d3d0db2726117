import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, vi } from 'vitest'
import { expectNothingLost } from '../faults/support/nothing-lost.ts'
import { it, killCommand, leftBehind, rowsOf, stateOf, succeed } from './support/moving.ts'

vi.setConfig({ testTimeout: 7_200_000 })

/** `npm run test:moves` makes 20. */
const MOVES = Number(process.env.MOVES ?? 0)
/** A move takes about this long, so that faults meet all of its steps. */
const MOVE_MS = 12_000

describe.runIf(MOVES > 0)('a tenant under load', () => {
  it(`moves ${MOVES} times while commands, servers and databases are killed, and nothing is lost`, async ({
    installation,
    loaded,
    feed,
  }) => {
    const { startCli, cli, postgres, servers, start } = installation
    const { tenant, load } = loaded
    const faults = [
      async () => {},
      async (server: 0 | 1) => {
        await servers[server]?.end('SIGKILL')
        await start(server)
      },
      async (server: 0 | 1) => {
        const shard = postgres[server === 0 ? 1 : 2]
        await shard.kill()
        await shard.start()
      },
    ]
    for (let moves = 1; moves <= MOVES; moves++) {
      const to = moves % 2 === 1 ? '2' : '1'
      const move = ['tenants', 'move', String(tenant.id), '--to', to]
      const mover = startCli(...move)
      await delay(Math.random() * MOVE_MS)
      const killsMover = Math.random() < 0.5
      if (killsMover) await killCommand(mover)
      await faults[moves % faults.length]?.(Math.random() < 0.5 ? 0 : 1)
      if (killsMover && (await stateOf(installation, tenant.id)) !== 'settled') await succeed(cli(...move))
      const run = killsMover ? undefined : await mover.ended
      expect([run?.exitCode ?? 0, run?.stderr]).toEqual([0, run?.stderr])
      // Killed before it began, or at its very end.
      if (killsMover && JSON.parse((await succeed(cli(...move, '--dry-run', '--json'))).stdout || '{}').missing?.length === 0)
        await succeed(cli(...move))
      expect(await stateOf(installation, tenant.id)).toBe('settled')
      expect(await rowsOf(installation, to === '2' ? 1 : 2, tenant.id)).toEqual({})
      expect(await leftBehind(installation)).toEqual([])
      expect([...load.faults, ...feed.faults]).toEqual([])
      console.log(
        `move ${moves} to shard ${to}, ${load.acknowledged} writes: ${run?.stderr.match(/calls waited \d+ ms/)?.[0] ?? 'killed'}`,
      )
    }
    const db = installation.db[MOVES % 2 === 1 ? 2 : 1]
    await expectNothingLost({ ...loaded, db }, { endsLeases: true, withinMs: 120_000 })
    await feed.expectAll(db, tenant.id)
  })
})
