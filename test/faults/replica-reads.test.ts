import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertApiKey } from '../../server/src/api-keys/index.ts'
import { openDatabase, type Database } from '../../server/src/database/database.ts'
import { createTenant } from '../../server/src/tenants/index.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { send, type Answer, type RequestOptions } from '../support/service.ts'
import { signalPostgres } from './support/postgres-processes.ts'
import { startPostgres, startStandby, type PostgresServer } from './support/postgres-servers.ts'
import { atMost } from '../support/patience.ts'

/** `npm run test:faults`: what takes long, too. */
const LONG = process.env.FAULTS === 'long'

/** A request must be answered within this, whatever the replica does. */
const ANSWER_MS = atMost(2_000)

let primary: PostgresServer
let standby: PostgresServer
let db: Database
/** Two server processes that read from the same replica, and one that knows of no replica. */
let servers: ServerProcess[]
/** Keys of the same tenant. */
let writer: string
let reader: string
let newKey: () => Promise<string>
let product: { id: number }
let marks = 0

beforeAll(async () => {
  primary = await startPostgres()
  standby = await startStandby(primary, 'standby')
  servers = await Promise.all([startServer(), startServer(), startServer({})])
  db = openDatabase(primary.url, { maxConnections: 2, pipelinedConnections: 1 })
  const tenant = await createTenant(db, 'tenant')
  newKey = async () => (await insertApiKey(db, tenant.id, 'live', { name: 'key', scopes: ['admin'] })).key
  ;[writer, reader] = [await newKey(), await newKey()]
  const { body } = await request(0, writer, 'POST', '/products', { barcode: 'barcode', sku: 'SKU', name: 'Product' })
  product = body.data
})

afterAll(async () => {
  await Promise.all(servers.map((server) => server.end('SIGKILL')))
  await db.close()
  await standby.remove()
  await primary.remove()
})

function startServer(settings: Record<string, string> = { DATABASE_REPLICA_URL: standby.url }): Promise<ServerProcess> {
  return startServerProcess({ ROLE: 'api', DATABASE_URL: primary.url, ...settings })
}

type ServerNumber = 0 | 1 | 2

function request(
  server: ServerNumber,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: RequestOptions['headers'] = {},
): Promise<Answer> {
  return send(`${servers[server]?.url}/api/v1${path}`, method, body, { key, headers })
}

/** Changes the stock and returns the reason, by which the change is found. */
async function adjust(server: ServerNumber, headers: RequestOptions['headers'] = {}, key = writer): Promise<string> {
  const reason = `mark-${++marks}`
  const body = { product_id: product.id, location_id: 'A', adjustment_quantity: 1, reason }
  expect((await request(server, key, 'POST', '/stock/adjustment', body, headers)).status).toBe(200)
  return reason
}

/** Whether the primary has the change. */
async function isCommitted(reason: string): Promise<boolean> {
  const { rowCount } = await db.pool.query('select from stock_movements where reason = $1', [reason])
  return rowCount === 1
}

/** Whether the list of movements begins with this one. */
async function sees(server: ServerNumber, key: string, reason: string): Promise<boolean> {
  const { status, body } = await request(server, key, 'GET', '/stock/movements')
  expect([status, body]).toEqual([200, expect.anything()])
  return body.data.movements[0]?.reason === reason
}

async function metric(server: ServerNumber, series: string): Promise<number> {
  const text = await (await fetch(`${servers[server]?.url}/metrics`)).text()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`fulfillment_${series} `))
  return Number(line?.split(' ').at(-1))
}

const readsOf = (server: ServerNumber, target: string): Promise<number> =>
  metric(server, `replica_reads_total{target="${target}"}`)

/** Makes the replica stand still, at a time when both servers read from it. */
async function pauseReplica(): Promise<void> {
  for (const until = Date.now() + 20_000; ; await delay(100)) {
    await standby.query('select pg_wal_replay_pause()')
    const reason = await adjust(0)
    const seen = await Promise.all([sees(0, reader, reason), sees(1, reader, reason)])
    if (!seen[0] && !seen[1]) return
    await resumeReplica()
    if (Date.now() > until) throw new Error('the replica is not read')
  }
}

async function resumeReplica(): Promise<void> {
  await standby.query('select pg_wal_replay_resume()')
}

async function whilePaused(work: () => Promise<void>): Promise<void> {
  await pauseReplica()
  try {
    await work()
  } finally {
    await resumeReplica()
  }
}

async function expectReplicaIsRead(): Promise<void> {
  await whilePaused(async () => {})
}

describe('a key', () => {
  it('sees its own changes at once, through every server, while others read from the replica', async () => {
    await whilePaused(async () => {
      for (let round = 0; round < 20; round++) {
        const reason = await adjust((round % 3) as ServerNumber)
        expect(await Promise.all([sees(0, writer, reason), sees(1, writer, reason)])).toEqual([true, true])
        expect(await Promise.all([sees(0, reader, reason), sees(1, reader, reason)])).toEqual([false, false])
      }
      expect((await request(1, writer, 'GET', '/audit-log?limit=1')).body.data.entries[0].input.reason).toBe(`mark-${marks}`)
      const quantity = async (key: string, asOf = ''): Promise<number> =>
        (await request(1, key, 'GET', `/stock/sku/SKU${asOf}`)).body.data.total_quantity
      expect(await quantity(writer, '?as_of=2100-01-01')).toBe(marks)
      expect(await quantity(reader, '?as_of=2100-01-01')).toBe(marks - 21)
      // What is decided by is never read from the replica.
      expect(await quantity(reader)).toBe(marks)
    })
    await expect.poll(() => sees(0, reader, `mark-${marks}`)).toBe(true)
  })

  it('reads from the replica again when that has caught up with it', async () => {
    const before = await readsOf(1, 'replica')
    const after = async (): Promise<number> => {
      await request(1, writer, 'GET', '/stock/movements')
      return await readsOf(1, 'replica')
    }
    await expect.poll(after, { interval: 200 }).toBeGreaterThan(before)
    expect(await metric(1, 'replica_up')).toBe(1)
    expect(await metric(1, 'replica_lag_seconds')).toBeLessThan(10)
  })

  it('sees what it changed with an Idempotency-Key, which is committed after the call', async () => {
    await expectReplicaIsRead()
    const blocker = await db.pool.connect()
    await blocker.query('begin; lock table idempotency_keys in exclusive mode')
    const changed = adjust(0, { 'idempotency-key': 'key' })
    await expect.poll(waitingForLocks).toBe(1)
    // Long enough to record, and to replicate, where the log is by now.
    await delay(500)
    await standby.query('select pg_wal_replay_pause()')
    await blocker.query('commit')
    blocker.release()
    const reason = await changed
    expect(await Promise.all([sees(0, writer, reason), sees(1, writer, reason)])).toEqual([true, true])
    expect(await sees(1, reader, reason)).toBe(false)
    await resumeReplica()
  })

  it('gets what the replica lacks from the primary, when it asks for a single record', () =>
    whilePaused(async () => {
      const { body } = await request(0, writer, 'POST', '/webhooks', { name: 'w', url: 'http://127.0.0.1:1024/', events: ['*'] })
      expect((await request(1, reader, 'GET', `/webhooks/${body.data.id}/deliveries`)).status).toBe(200)
    }))

  it('sees what became of a change that its server never answered', () =>
    whilePaused(async () => {
      const blocker = await db.pool.connect()
      await blocker.query('begin')
      await blocker.query('select from stock_levels where product_id = $1 for update', [product.id])
      const key = await newKey()
      const unanswered = adjust(0, {}, key).catch(() => 'no answer')
      await expect.poll(waitingForLocks).toBe(1)
      await servers[0]?.end('SIGKILL')
      expect(await unanswered).toBe('no answer')
      await blocker.query('commit')
      blocker.release()
      // The statement goes on without its server, and is committed a moment after it got its lock.
      await expect.poll(() => isCommitted(`mark-${marks}`)).toBe(true)
      expect(await sees(1, key, `mark-${marks}`)).toBe(true)
      expect(await sees(1, reader, `mark-${marks}`)).toBe(false)
      servers[0] = await startServer()
    }))

  it('sees its changes when the primary has crashed and knows no more who made them', () =>
    whilePaused(async () => {
      const reason = await adjust(0)
      await primary.kill()
      await primary.start()
      await expect.poll(() => sees(1, writer, reason).catch(() => false), { interval: 1 }).toBe(true)
      // Also when it is known again who makes changes, which takes some seconds.
      for (const until = Date.now() + 6_500; Date.now() < until; await delay(100))
        expect(await sees(1, writer, reason)).toBe(true)
    }))
})

async function waitingForLocks(): Promise<number> {
  const { rows } = await primary.query(`select count(*)::int from pg_stat_activity where wait_event_type = 'Lock'`)
  return rows[0].count
}

/** Lists all the time; tells how many were answered, what was not 200, and what took longest. */
function startReading(): { answered(): number; end(): Promise<{ failures: unknown[]; longestMs: number }> } {
  const failures: unknown[] = []
  let longestMs = 0
  let answered = 0
  const ending = new AbortController()
  const read = async (server: ServerNumber): Promise<void> => {
    while (!ending.signal.aborted) {
      const startedAt = performance.now()
      const { status, body } = await request(server, reader, 'GET', '/stock/movements')
      longestMs = Math.max(longestMs, performance.now() - startedAt)
      answered++
      if (status !== 200) failures.push(body)
    }
  }
  const clients = [0, 1, 0, 1].map((server) => read(server as ServerNumber))
  return {
    answered: () => answered,
    end: async () => {
      ending.abort()
      await Promise.all(clients)
      return { failures, longestMs }
    },
  }
}

/** Does something to the replica under load: no request fails or is late, and the replica is used again by itself. */
async function expectNoHarm(fault: () => Promise<void>): Promise<void> {
  await expectReplicaIsRead()
  const reading = startReading()
  await delay(300)
  const before = reading.answered()
  await fault()
  const { failures, longestMs } = await reading.end()
  expect(failures).toEqual([])
  expect(longestMs).toBeLessThan(ANSWER_MS)
  expect(reading.answered()).toBeGreaterThan(before)
  await expectReplicaIsRead()
}

describe('no request fails or is late when the replica', () => {
  it('is killed, and started again', () =>
    expectNoHarm(async () => {
      await standby.kill()
      await delay(1_500)
      expect([await metric(0, 'replica_up'), await metric(1, 'replica_up')]).toEqual([0, 0])
      expect((await fetch(`${servers[0]?.url}/readyz`)).status).toBe(200)
      await standby.start()
    }))

  it('hangs', () =>
    expectNoHarm(async () => {
      signalPostgres(standby.dataDir, 'SIGSTOP')
      await delay(2_500)
      signalPostgres(standby.dataDir, 'SIGCONT')
    }))

  it('cancels what it was asked, or ends sessions', () =>
    expectNoHarm(async () => {
      // A lock that it has replayed, and whose end it has not, holds up all who read the table.
      const locker = await db.pool.connect()
      await locker.query('begin; lock table stock_movements in access exclusive mode')
      await locker.query('select pg_switch_wal()')
      await expect.poll(() => lockedOnStandby()).toBe(true)
      await standby.query('select pg_wal_replay_pause()')
      await locker.query('commit')
      locker.release()
      for (const end of ['pg_cancel_backend', 'pg_terminate_backend', 'pg_cancel_backend']) {
        await expect.poll(async () => (await standby.query(`select ${end}(pid) ${LOCKED_OUT}`)).rowCount).toBeGreaterThan(0)
        await delay(200)
      }
      await standby.query('select pg_wal_replay_resume()')
    }))

  it.runIf(LONG)(
    'is far behind',
    async () => {
      await whilePaused(async () => {
        const reason = await adjust(0)
        expect(await sees(0, reader, reason)).toBe(false)
        await expect.poll(() => sees(0, reader, reason), { interval: 500 }).toBe(true)
        expect(await metric(0, 'replica_lag_seconds')).toBeGreaterThan(9)
      })
      await expectReplicaIsRead()
    },
    60_000,
  )

  it('is promoted, and is a replica no more', async () => {
    await expectReplicaIsRead()
    await standby.query('select pg_promote()')
    const reason = await adjust(0)
    // Each server finds it out by itself.
    await expect.poll(async () => [await sees(0, reader, reason), await sees(1, reader, reason)]).toEqual([true, true])
    for (let round = 0; round < 20; round++) expect(await sees(1, reader, await adjust(0))).toBe(true)
  })
})

const LOCKED_OUT = `from pg_stat_activity where wait_event_type = 'Lock' and backend_type = 'client backend'`

async function lockedOnStandby(): Promise<boolean> {
  const { rows } = await standby.query(
    `select from pg_locks where relation = 'stock_movements'::regclass and mode = 'AccessExclusiveLock'`,
  )
  return rows.length > 0
}
