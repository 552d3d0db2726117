import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, type Database } from '../../server/src/database/database.ts'
import { freePort, startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { send, type TestTenant } from '../support/service.ts'
import { startReceiver, type Receiver } from '../webhooks/support/receiver.ts'
import { startLoadBalancer, type LoadBalancer } from './support/load-balancer.ts'
import { Load } from './support/load.ts'
import { newProducts, newTenant } from './support/loaded-tenant.ts'
import { expectNothingLost } from './support/nothing-lost.ts'
import { startPostgres, type PostgresServer } from './support/postgres-servers.ts'

/** `npm run test:faults`: many rounds. */
const LONG = process.env.FAULTS === 'long'
const ROUNDS = LONG ? 12 : 2
const LOAD_MS = 1_000
const LIMIT = 60

type Place = 0 | 1
const PLACES = [0, 1] as const

let postgres: PostgresServer
let db: Database
let apis: ServerProcess[]
let workers: ServerProcess[]
let ports: string[]
let balancer: LoadBalancer
let receiver: Receiver
let tenant: TestTenant
let load: Load

beforeAll(async () => {
  postgres = await startPostgres()
  ports = [String(await freePort()), String(await freePort())]
  apis = [await startApi(0), await startApi(1)]
  workers = [await startWorker(), await startWorker()]
  db = openDatabase(postgres.url, { maxConnections: 2, pipelinedConnections: 1 })
  balancer = await startLoadBalancer(apis.map(({ url }) => url))
  receiver = await startReceiver()
  tenant = await newTenant(db, () => balancer.url)
  await tenant.request('POST', '/webhooks', { name: 'everything', url: receiver.url, events: ['*'] })
  load = new Load(balancer.url, tenant.key, await newProducts(db, tenant))
})

afterAll(async () => {
  await load.stop()
  await Promise.all([...apis, ...workers].map((server) => server.end('SIGKILL')))
  await balancer.close()
  await receiver.close()
  await db.close()
  await postgres.remove()
})

function startApi(place: Place, settings: Record<string, string> = {}): Promise<ServerProcess> {
  const environment = { ROLE: 'api', DATABASE_URL: postgres.url, PORT: ports[place] as string, LOG_LEVEL: 'warn' }
  return startServerProcess({ ...environment, ...settings })
}

async function startWorker(): Promise<ServerProcess> {
  const settings = { ROLE: 'worker', DATABASE_URL: postgres.url, MONITORING_PORT: String(await freePort()), LOG_LEVEL: 'warn' }
  return startServerProcess(settings)
}

/** Kills a server and a worker and starts them again; the balancer goes on sending requests there. */
async function replace(place: Place): Promise<void> {
  await Promise.all([apis[place]?.end('SIGKILL'), workers[place]?.end('SIGKILL')])
  const startedAt = load.acknowledged
  await delay(LOAD_MS / 4)
  expect(load.acknowledged).toBeGreaterThan(startedAt)
  ;[apis[place], workers[place]] = await Promise.all([startApi(place), startWorker()])
}

/** Asks one server, or both by turns through the balancer; undefined when there was no answer. */
async function statusOf(url: string, key: string): Promise<number | undefined> {
  return (await send(`${url}/api/v1/warehouses`, 'GET', undefined, { key }).catch(() => undefined))?.status
}

describe('two servers and two workers on one database, behind a load balancer, under mixed load', () => {
  it('go on when one of each is killed, and take it back', { timeout: 120_000 * ROUNDS }, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await delay(LOAD_MS * (0.5 + Math.random()))
      await replace(PLACES[round % 2] as Place)
      const before = [...balancer.answered]
      const hasAnsweredSince = (): boolean[] => balancer.answered.map((count, place) => count > (before[place] as number))
      await expect.poll(hasAnsweredSince).toEqual([true, true])
      expect(load.faults).toEqual([])
    }
  })

  it('refuse a revoked key within a second, each of them', async () => {
    const { body } = await tenant.request('POST', '/api-keys', { name: 'leaked', preset: 'full_access' })
    const { id, key } = body.data
    const statuses = (): Promise<unknown[]> => Promise.all(apis.map(({ url }) => statusOf(url, key)))
    expect(await statuses()).toEqual([200, 200])
    expect((await tenant.request('DELETE', `/api-keys/${id}`)).status).toBe(200)
    await delay(1_000)
    expect(await statuses()).toEqual([401, 401])
  })

  it('keep every acknowledged write once, nothing by halves, and deliver every event', async () => {
    await expectNothingLost({ db, tenant, load, receiver }, { endsLeases: !LONG, withinMs: 80_000 })
  })

  it('let through no more than the limit of a key together, also when one is killed', async () => {
    await Promise.all(apis.map((api) => api.end('SIGKILL')))
    const limited = { RATE_LIMIT_PER_MINUTE: String(LIMIT) }
    apis = [await startApi(0, limited), await startApi(1, limited)]
    const key = await tenant.createKey()
    const statuses: (number | undefined)[] = []
    const ask = async (times: number): Promise<void> => {
      for (let turn = 0; turn < times; turn++) statuses.push(await statusOf(balancer.url, key))
    }
    await ask(LIMIT / 2)
    await apis[0]?.end('SIGKILL')
    await ask(4)
    apis[0] = await startApi(0, limited)
    await ask(LIMIT * 2)
    const allowed = statuses.filter((status) => status === 200).length
    // What the killed server had set aside, a tenth of what was left, is lost for this minute.
    expect(allowed).toBeLessThanOrEqual(LIMIT)
    expect(allowed).toBeGreaterThanOrEqual(LIMIT - LIMIT / 10)
    expect(statuses.at(-1)).toBe(429)
  })
})
