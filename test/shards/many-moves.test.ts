import { describe, expect, vi } from 'vitest'
import { startLoadBalancer } from '../faults/support/load-balancer.ts'
import { expectNothingLost } from '../faults/support/nothing-lost.ts'
import { send } from '../support/service.ts'
import { Adjuster } from './support/adjuster.ts'
import { FeedReader, it as base, leftBehind, rowsOf, stateOf } from './support/moving.ts'
import { Operator } from './support/operator.ts'
import { planStrikes, strike } from './support/strikes.ts'

vi.setConfig({ testTimeout: 7_200_000 })

/** `npm run test:moves` makes 20. */
const MOVES = Number(process.env.MOVES ?? 0)
/** Chooses what is killed, and when. */
const SEED = Number(process.env.MOVES_SEED ?? Date.now() % 1_000_000)
/** Of clients, when a server is killed or the tenant is switched. */
const SERVED_AGAIN_MS = 60_000

/** `it` with a tenant whose load both servers share, behind a load balancer that loses responses, and two readers of its feed, one over each server. */
const it = base
  .extend('balanced', { scope: 'file' }, async ({ installation, startLoad }, { onCleanup }) => {
    const balancer = await startLoadBalancer(installation.servers.map(({ url }) => url))
    onCleanup(() => balancer.close())
    return await startLoad(installation.postgres[1].url, balancer.url)
  })
  .extend('feeds', { scope: 'file' }, async ({ installation, balanced }, { onCleanup }) => {
    const feeds = installation.servers.map(({ url }) => new FeedReader(url, balanced.tenant.key))
    onCleanup(async () => void (await Promise.all(feeds.map((feed) => feed.stop()))))
    return feeds
  })

describe.runIf(MOVES > 0)('a tenant under load', () => {
  it(`moves ${MOVES} times while commands, servers and databases are killed, and nothing is lost`, async ({
    installation,
    balanced,
    feeds,
  }) => {
    console.log(`MOVES_SEED=${SEED}`)
    const { tenant, load } = balanced
    const call = (server: number, path: string, body: unknown, headers = {}) =>
      send(`${installation.servers[server]?.url}/api/v1${path}`, 'POST', body, { key: tenant.key, headers })
    const made = await call(0, '/products', { barcode: 'first', name: 'First' }, { 'idempotency-key': 'first' })
    const one = { product_id: made.body.data.id, location_id: 'A', adjustment_quantity: 1 }
    const caller = new Adjuster('caller', (reason) => call(0, '/stock/adjustment', { ...one, reason }))
    const pauses: number[] = []
    const kills: Record<string, number> = {}
    for (const [n, strikes] of planStrikes(MOVES, SEED).entries()) {
      const to = n % 2 === 0 ? 2 : 1
      const startedAt = performance.now()
      caller.longestGapMs = 0
      const operator = new Operator(installation, tenant.id, to)
      const struck: string[] = []
      const striking = (async () => {
        for (const one of strikes) struck.push(await strike(installation, operator, one))
      })()
      await Promise.all([operator.done, striking])
      const tookS = Math.round((performance.now() - startedAt) / 1_000)
      for (const what of struck) kills[what] = (kills[what] ?? 0) + 1
      if (strikes.length === 0) pauses.push(...operator.pauses)
      console.log(
        `move ${n + 1} to shard ${to}: ${tookS} s, ${load.acknowledged} writes, killed: ${struck.join(', ') || 'nothing'}; ` +
          `calls waited ${operator.pauses.join(' + ') || 'unknown'} ms, a caller ${Math.round(caller.longestGapMs)} ms`,
      )
      expect(await stateOf(installation, tenant.id)).toBe('settled')
      expect(await rowsOf(installation, to === 2 ? 1 : 2, tenant.id)).toEqual({})
      expect(await leftBehind(installation)).toEqual([])
      expect([...load.faults, ...caller.faults, ...feeds.flatMap(({ faults }) => faults)]).toEqual([])
      for (const server of [0, 1]) {
        const again = () =>
          call(server, '/products', { barcode: 'first', name: 'First' }, { 'idempotency-key': 'first' }).catch(() => undefined)
        await expect
          .poll(async () => (await again())?.headers.get('idempotency-replayed'), { timeout: SERVED_AGAIN_MS })
          .toBe('true')
        expect((await again())?.body).toEqual(made.body)
      }
    }
    await caller.stop()
    const db = installation.db[MOVES % 2 === 1 ? 2 : 1]
    const { rows } = await db.dedicatedPool.query(
      `select reason from stock_movements where tenant_id = $1 and reason like 'caller-%'`,
      [tenant.id],
    )
    const kept = new Set(rows.map(({ reason }) => reason))
    expect(kept.size).toBe(rows.length)
    expect(caller.acknowledged.filter((reason) => !kept.has(reason))).toEqual([])
    // Hundreds of thousands of writes take longer to check than a call may.
    await db.withoutTimeLimits((kysely) =>
      expectNothingLost({ ...balanced, db: { ...db, kysely } }, { endsLeases: true, withinMs: 600_000 }),
    )
    for (const feed of feeds) await feed.expectAll(db, tenant.id)
    console.log(
      `${MOVES} moves, ${load.acknowledged + caller.acknowledged.length} acknowledged writes, events read by cursor: ${feeds.map(({ ids }) => ids.length).join(' and ')}, ` +
        `delivered: ${balanced.receiver.received.length}; kills: ${JSON.stringify(kills)}; pauses of undisturbed moves: ${pauses.join(', ')} ms`,
    )
  })
})
