import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { it as base } from '../faults/support/it.ts'
import { expectNothingLost } from '../faults/support/nothing-lost.ts'
import type { Loaded } from '../faults/support/loaded-tenant.ts'
import { freePort } from '../support/free-port.ts'
import { starting } from '../support/starting.ts'
import { startCluster, type Cluster } from './cluster.ts'
import type { Machine } from './machine.ts'

/** A cluster, an API server and a worker at its address, and their load. */
const it = base
  .extend(
    'start',
    { scope: 'file' },
    starting(startCluster, (cluster) => cluster.stop()),
  )
  .extend('cluster', { scope: 'file' }, async ({ start }) => await start())
  .extend('loaded', { scope: 'file' }, async ({ cluster, startLastingProcess, startLoad }) => {
    const settings = { DATABASE_URL: cluster.databaseUrl, LOG_LEVEL: 'warn' }
    const api = await startLastingProcess({ ...settings, ROLE: 'api', RATE_LIMIT_PER_MINUTE: '1000000' })
    await startLastingProcess({ ...settings, ROLE: 'worker', MONITORING_PORT: String(await freePort()) })
    return await startLoad(cluster.databaseUrl, api.url)
  })

/** Waits until the fault has had its effect and 100 further writes are acknowledged. Prints for how long there was none. */
async function untilBack({ load }: Loaded, fault: string, hadEffect = async (): Promise<boolean> => true): Promise<void> {
  let longest = 0
  let last = performance.now()
  let seen = load.acknowledged
  for (let enough = Number.POSITIVE_INFINITY; seen < enough;) {
    await delay(10)
    if (enough === Number.POSITIVE_INFINITY && (await hadEffect())) enough = seen + 100
    if (load.acknowledged === seen) continue
    seen = load.acknowledged
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }
  console.log(`${fault}: no write was acknowledged for ${(longest / 1_000).toFixed(1)} s`)
}

/** Whether another machine than this one leads. */
const anotherLeads = (cluster: Cluster, former: Machine) => (): Promise<boolean> =>
  cluster.leader().then(
    (leader) => leader !== former,
    () => false,
  )

describe('Under load, the service is back by itself', { timeout: 600_000 }, () => {
  it('after the leader’s Postgres was killed', async ({ cluster, loaded }) => {
    const leader = await cluster.leader()
    leader.killPostgres()
    await untilBack(loaded, 'Postgres killed')
    await cluster.untilWhole()
  })

  it('after the leader’s machine was lost; when it is back, it follows', async ({ cluster, loaded }) => {
    const leader = await cluster.leader()
    await leader.kill()
    await untilBack(loaded, 'machine lost', anotherLeads(cluster, leader))
    leader.start()
    await cluster.untilWhole()
  })

  it('after etcd’s leader was killed', async ({ cluster, loaded }) => {
    const machine = await cluster.etcdLeader()
    await machine.killEtcd()
    await untilBack(loaded, 'etcd’s leader killed')
    machine.start()
    await cluster.untilWhole()
  })

  it('while the leader’s Patroni hangs, and its Postgres does not know that another one leads', async ({ cluster, loaded }) => {
    const leader = await cluster.leader()
    leader.freezePatroni()
    await untilBack(loaded, 'Patroni hangs', anotherLeads(cluster, leader))
    leader.thaw()
    await cluster.untilWhole()
  })

  it('while the leader’s machine cannot be reached, and after it can be again', async ({ cluster, loaded }) => {
    const leader = await cluster.leader()
    leader.freeze()
    await untilBack(loaded, 'machine unreachable', anotherLeads(cluster, leader))
    leader.thaw()
    await untilBack(loaded, 'machine reachable again')
    await cluster.untilWhole()
    expect(await cluster.leader()).not.toBe(leader)
  })
})

it('Every acknowledged write is there exactly once, and every event arrived', { timeout: 300_000 }, async ({ loaded }) => {
  await expectNothingLost(loaded, { endsLeases: false, withinMs: 120_000 })
})
