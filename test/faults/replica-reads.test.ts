import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { it as base } from './support/it.ts'
import { signalPostgres } from './support/postgres-processes.ts'
import type { PostgresServer } from './support/postgres-servers.ts'
import { startReplicated, type Replicated, type ServerNumber } from './support/replicated.ts'
import { createOrders, LARGE, LINES, openResponse, ORDERS } from '../support/large-list.ts'
import { atMost } from '../support/patience.ts'
import { type PageHeaders, signedIn } from '../web/support/page-client.ts'

/** `npm run test:faults` also runs the long tests. */
const LONG = process.env.FAULTS === 'long'

/** Maximum time of a response, regardless of the state of the replica. */
const RESPONSE_MS = atMost(2_000)

/** `it` with a primary, its standby, and servers on them. */
const it = base
  .extend('primary', { scope: 'file' }, async ({ startPostgres }) => await startPostgres())
  .extend('standby', { scope: 'file' }, async ({ primary, startStandby }) => await startStandby(primary, 'standby'))
  .extend('db', { scope: 'file' }, async ({ primary }, { onCleanup }) => {
    const db = openDatabase(primary.url, { exclusiveConnections: 2, pipelinedConnections: 1 })
    onCleanup(() => db.close())
    return db
  })
  .extend(
    'replicated',
    { scope: 'file' },
    async ({ primary, standby, db, startLastingProcess }) =>
      await startReplicated({ primary, standby, db, startServer: startLastingProcess }),
  )

const readsOf = (replicated: Replicated, server: ServerNumber, target: string): Promise<number> =>
  replicated.metric(server, `replica_reads_total{target="${target}"}`)

describe('a key', () => {
  it('reads its own writes through every server, while other keys read from the replica', async ({ replicated }) => {
    const expectOwnWriteRead = async (server: ServerNumber): Promise<void> => {
      const reason = await replicated.adjust(server)
      expect(await replicated.bothSee(replicated.writer, reason)).toEqual([true, true])
      expect(await replicated.bothSee(replicated.reader, reason)).toEqual([false, false])
    }
    const caughtUp = (): Promise<void> =>
      expect.poll(() => replicated.sees(0, replicated.reader, `mark-${replicated.marks}`)).toBe(true)
    // Each pause is short: servers leave a replica that is 10 seconds behind.
    for (let pause = 0; pause < 6; pause++) {
      await replicated.whilePaused(async () => {
        for (const server of [0, 1, 2] as const) await expectOwnWriteRead(server)
      })
      await caughtUp()
    }
    await replicated.whilePaused(async () => {
      await expectOwnWriteRead(0)
      expect(
        (await replicated.request(1, replicated.writer, 'GET', '/audit-log?limit=1')).body.data.entries[0].input.reason,
      ).toBe(`mark-${replicated.marks}`)
      const quantity = async (key: string, asOf = ''): Promise<number> =>
        (await replicated.request(1, key, 'GET', `/stock/sku/SKU${asOf}`)).body.data.total_quantity
      expect(await quantity(replicated.writer, '?as_of=2100-01-01')).toBe(replicated.marks)
      expect(await quantity(replicated.reader, '?as_of=2100-01-01')).toBe(replicated.marks - 2)
      // Reads that a decision depends on never use the replica.
      expect(await quantity(replicated.reader)).toBe(replicated.marks)
    })
    await caughtUp()
  })

  it('of a page reads nothing older than its pulse', ({ replicated }) =>
    replicated.whilePaused(async () => {
      const page = await signedIn(replicated.urlOf(1), replicated.reader)
      const reason = await replicated.adjust(0)
      const latest = async (headers: PageHeaders = {}): Promise<string> =>
        (await page.call('GET', '/stock/movements?limit=1', undefined, headers)).body.data.movements[0].reason
      const pulse = await page.send('GET', '/dashboard/pulse', undefined, { 'x-page-mode': 'live' })
      const position = String(pulse.headers['x-page-position'])
      for (const older of [undefined, '0', 'nothing', '1e999'])
        expect(await latest({ 'x-page-position': older })).not.toBe(reason)
      expect(await latest({ 'x-page-position': position })).toBe(reason)
    }))

  it('reads from the replica again once it has caught up', async ({ replicated }) => {
    const before = await readsOf(replicated, 1, 'replica')
    const after = async (): Promise<number> => {
      await replicated.request(1, replicated.writer, 'GET', '/stock/movements')
      return await readsOf(replicated, 1, 'replica')
    }
    await expect.poll(after, { interval: 200 }).toBeGreaterThan(before)
    expect(await replicated.metric(1, 'replica_up')).toBe(1)
    expect(await replicated.metric(1, 'replica_lag_seconds')).toBeLessThan(10)
  })

  it('reads a change of the reservation policy by another one', async ({ replicated }) => {
    const order = {
      order_tenant_id: 'policy',
      assembly_date: '2026-12-01',
      order_detail: [{ barcode: replicated.barcode, quantity: 1 }],
    }
    expect((await replicated.request(0, replicated.writer, 'POST', '/orders', order)).status).toBe(200)
    const listed = async (server: ServerNumber): Promise<object[]> =>
      (await replicated.request(server, replicated.reader, 'GET', '/orders')).body.data.orders
    await expect.poll(async () => [(await listed(0)).length, (await listed(1)).length]).toEqual([1, 1])
    await replicated.whilePaused(async () => {
      for (const policy of ['track', 'off', 'strict', 'off']) {
        await replicated.request(0, replicated.writer, 'PUT', '/settings', { reservation_policy: policy })
        for (const server of [0, 1] as const)
          expect([policy, 'reservation_status' in ((await listed(server))[0] as object)]).toEqual([policy, policy !== 'off'])
      }
    })
  })

  it('reads its own write with an Idempotency-Key, which is committed after the call', async ({
    standby,
    primary,
    db,
    replicated,
  }) => {
    await replicated.expectReplicaIsRead()
    const blocker = await db.dedicatedPool.connect()
    await blocker.query('begin; lock table idempotency_keys in exclusive mode')
    const changed = replicated.adjust(0, { 'idempotency-key': 'key' })
    await expect.poll(() => waitingForLocks(primary)).toBe(1)
    // Long enough to record and replicate the current position of the log.
    await delay(500)
    await standby.query('select pg_wal_replay_pause()')
    await blocker.query('commit')
    blocker.release()
    const reason = await changed
    expect(await replicated.bothSee(replicated.writer, reason)).toEqual([true, true])
    expect(await replicated.sees(1, replicated.reader, reason)).toBe(false)
    await replicated.resume()
  })

  it('reads single records from the primary', ({ replicated }) =>
    replicated.whilePaused(async () => {
      const { body } = await replicated.request(0, replicated.writer, 'POST', '/webhooks', {
        name: 'w',
        url: 'http://127.0.0.1:1024/',
        events: ['*'],
      })
      expect((await replicated.request(1, replicated.reader, 'GET', `/webhooks/${body.data.id}/deliveries`)).status).toBe(200)
    }))

  it('reads its own write even if the server died before responding', ({ primary, db, replicated }) =>
    replicated.whilePaused(async () => {
      const blocker = await db.dedicatedPool.connect()
      await blocker.query('begin')
      await blocker.query('select from stock_levels where product_id = $1 for update', [replicated.productId])
      const key = await replicated.newKey()
      const lost = replicated.adjust(0, {}, key).catch(() => 'no response')
      await expect.poll(() => waitingForLocks(primary)).toBe(1)
      await replicated.kill()
      expect(await lost).toBe('no response')
      await blocker.query('commit')
      blocker.release()
      // The statement continues without its server, and commits a moment after it gets its lock.
      await expect.poll(() => replicated.isCommitted(`mark-${replicated.marks}`)).toBe(true)
      expect(await replicated.sees(1, key, `mark-${replicated.marks}`)).toBe(true)
      expect(await replicated.sees(1, replicated.reader, `mark-${replicated.marks}`)).toBe(false)
      await replicated.replaceKilled()
    }))

  it('reads its own writes after a crash of the primary, which loses the write positions', ({ primary, replicated }) =>
    replicated.whilePaused(async () => {
      const reason = await replicated.adjust(0)
      await primary.kill()
      await primary.start()
      await expect.poll(() => replicated.sees(1, replicated.writer, reason).catch(() => false), { interval: 1 }).toBe(true)
      // This stays true after the server has relearned which keys make changes, which takes some seconds.
      for (const until = Date.now() + 6_500; Date.now() < until; await delay(100))
        expect(await replicated.sees(1, replicated.writer, reason)).toBe(true)
    }))
})

async function waitingForLocks(primary: PostgresServer): Promise<number> {
  const { rows } = await primary.query(`select count(*)::int from pg_stat_activity where wait_event_type = 'Lock'`)
  return rows[0].count
}

/** Reads lists continuously. Returns the number of responses, those other than 200, and the longest time. */
function startReading(replicated: Replicated): {
  responses(): number
  end(): Promise<{ failures: unknown[]; longestMs: number }>
} {
  const failures: unknown[] = []
  let longestMs = 0
  let responses = 0
  const ending = new AbortController()
  const read = async (server: ServerNumber): Promise<void> => {
    while (!ending.signal.aborted) {
      const startedAt = performance.now()
      const { status, body } = await replicated.request(server, replicated.reader, 'GET', '/stock/movements')
      longestMs = Math.max(longestMs, performance.now() - startedAt)
      responses++
      if (status !== 200) failures.push(body)
    }
  }
  const clients = [0, 1, 0, 1].map((server) => read(server as ServerNumber))
  return {
    responses: () => responses,
    end: async () => {
      ending.abort()
      await Promise.all(clients)
      return { failures, longestMs }
    },
  }
}

/** Causes a fault of the replica under load. Expects that no request fails or is late, and that servers use the replica again afterwards. */
async function expectNoHarm(replicated: Replicated, fault: () => Promise<void>): Promise<void> {
  await replicated.expectReplicaIsRead()
  const reading = startReading(replicated)
  await delay(300)
  const before = reading.responses()
  await fault()
  const { failures, longestMs } = await reading.end()
  expect(failures).toEqual([])
  expect(longestMs).toBeLessThan(RESPONSE_MS)
  expect(reading.responses()).toBeGreaterThan(before)
  await replicated.expectReplicaIsRead()
}

describe('no request fails or is delayed when the replica', () => {
  it('is killed, and started again', ({ standby, replicated }) =>
    expectNoHarm(replicated, async () => {
      await standby.kill()
      await delay(1_500)
      expect([await replicated.metric(0, 'replica_up'), await replicated.metric(1, 'replica_up')]).toEqual([0, 0])
      expect((await fetch(`${replicated.urlOf(0)}/readyz`)).status).toBe(200)
      await standby.start()
    }))

  it('is killed while a list of orders with very many lines is read from it in pieces', async ({ standby, replicated }) => {
    await createOrders((method, path, body) => replicated.request(0, replicated.writer, method, path, body), ORDERS)
    await replicated.expectReplicaIsRead()
    await expect.poll(() => replicated.sees(1, replicated.reader, `mark-${replicated.marks}`)).toBe(true)
    const open = () => openResponse(replicated.urlOf(1) + LARGE, replicated.reader)
    const response = await open()
    // Postgres shows the beginning of the last statement of a session.
    const { rowCount } = await standby.query(`select from pg_stat_activity where query like 'select 0::bigint as total, o.id,%'`)
    expect(rowCount).toBeGreaterThan(0)
    await standby.kill()
    const list = await text(response)
    const orders = JSON.parse(list).data.orders as { items_count: number; order_detail: object[] }[]
    const large = orders.filter(({ items_count, order_detail }) => items_count === LINES && order_detail.length === LINES)
    expect(large).toHaveLength(ORDERS)
    // A difference of texts of 27 MB would not be shown.
    expect(list === (await text(await open()))).toBe(true)
    await standby.start()
    await replicated.expectReplicaIsRead()
  })

  it('hangs', ({ standby, replicated }) =>
    expectNoHarm(replicated, async () => {
      signalPostgres(standby.dataDir, 'SIGSTOP')
      await delay(2_500)
      signalPostgres(standby.dataDir, 'SIGCONT')
    }))

  it('cancels queries or terminates sessions', ({ standby, db, replicated }) =>
    expectNoHarm(replicated, async () => {
      // The replica has replayed the lock but not its release, so all reads of the table wait.
      const locker = await db.dedicatedPool.connect()
      await locker.query('begin; lock table stock_movements in access exclusive mode')
      await locker.query('select pg_switch_wal()')
      await expect.poll(() => lockedOnStandby(standby)).toBe(true)
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
    async ({ replicated }) => {
      await replicated.whilePaused(async () => {
        const reason = await replicated.adjust(0)
        expect(await replicated.sees(0, replicated.reader, reason)).toBe(false)
        await expect.poll(() => replicated.sees(0, replicated.reader, reason), { interval: 500 }).toBe(true)
        expect(await replicated.metric(0, 'replica_lag_seconds')).toBeGreaterThan(9)
      })
      await replicated.expectReplicaIsRead()
    },
    60_000,
  )

  it('is promoted', async ({ standby, replicated }) => {
    await replicated.expectReplicaIsRead()
    await standby.query('select pg_promote()')
    const reason = await replicated.adjust(0)
    // Each server detects the promotion by itself.
    await expect.poll(() => replicated.bothSee(replicated.reader, reason)).toEqual([true, true])
    for (let round = 0; round < 20; round++)
      expect(await replicated.sees(1, replicated.reader, await replicated.adjust(0))).toBe(true)
  })
})

const LOCKED_OUT = `from pg_stat_activity where wait_event_type = 'Lock' and backend_type = 'client backend'`

async function lockedOnStandby(standby: PostgresServer): Promise<boolean> {
  const { rows } = await standby.query(
    `select from pg_locks where relation = 'stock_movements'::regclass and mode = 'AccessExclusiveLock'`,
  )
  return rows.length > 0
}
