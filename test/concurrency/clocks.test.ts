import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import { it as base } from '../support/it.ts'
import { newOrder } from '../support/orders.ts'
import { atMost } from '../support/patience.ts'
import { OPERATOR, stockedProduct } from '../support/picking.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { send } from '../support/service.ts'
import { PageClient, signedIn } from '../web/support/page-client.ts'

const MOVED_CLOCK = fileURLToPath(new URL('../support/moved-clock.ts', import.meta.url))

/** `moved` is a second server on the same database. The tests move its clock. */
const it = base.extend('moved', { scope: 'file' }, async ({ service }, { onCleanup }) => {
  const moved = await startServerProcess({
    DATABASE_URL: service.databaseUrl,
    NODE_OPTIONS: `--import ${MOVED_CLOCK}`,
    LOG_LEVEL: 'silent',
  })
  onCleanup(async () => void (await moved.end('SIGKILL')))
  return moved
})

const DAY_MS = 86_400_000

const statusOf = async (moved: ServerProcess, key: string): Promise<number> =>
  (await send(`${moved.url}/api/v1/orders`, 'GET', undefined, { key })).status

/** Signals of `moved-clock.ts`, and those that put the clock right again. */
const SIGNALS = {
  behind: { move: ['SIGUSR2'], back: ['SIGWINCH', 'SIGUSR2'] },
  ahead: { move: ['SIGWINCH'], back: ['SIGUSR2', 'SIGUSR2'] },
} as const

/** Moves the clock of that server until the end of the test. */
async function moveClock(moved: ServerProcess, direction: keyof typeof SIGNALS): Promise<void> {
  const { move, back } = SIGNALS[direction]
  onTestFinished(() => signal(moved, back))
  await signal(moved, move)
}

/** Gives the server a moment to handle each signal. */
async function signal(moved: ServerProcess, signals: readonly NodeJS.Signals[]): Promise<void> {
  for (const name of signals) {
    moved.child.kill(name)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

it('a clock that goes backwards does not keep a revoked or expired key valid', async ({ tenant, moved }) => {
  const { key, id } = (await tenant.request('POST', '/api-keys', { name: 'leaked', preset: 'read_only' })).body.data
  await statusOf(moved, tenant.key)
  const expiring = await tenant.createKey({ expires_at: new Date(Date.now() + 3_000).toISOString() })
  expect([await statusOf(moved, key), await statusOf(moved, expiring)]).toEqual([200, 200])
  await moveClock(moved, 'behind')
  expect((await tenant.request('DELETE', `/api-keys/${id}`)).status).toBe(200)
  await expect.poll(() => statusOf(moved, key), { timeout: atMost(1_000) }).toBe(401)
  await expect.poll(() => statusOf(moved, expiring)).toBe(401)
})

it('a clock that is ahead neither rejects keys nor records a wrong last use', async ({ service, tenant, moved }) => {
  const key = await tenant.createKey({ expires_at: new Date(Date.now() + DAY_MS / 2).toISOString(), name: 'used' })
  await moveClock(moved, 'ahead')
  expect(await statusOf(moved, key)).toBe(200)
  await expect
    .poll(
      async () =>
        (
          await sql<{ off: number }>`
            select abs(extract(epoch from now() - last_used_at))::float8 as off from api_keys
            where tenant_id = ${tenant.id} and name = 'used'`.execute(service.db.kysely)
        ).rows[0]?.off,
      { interval: 500 },
    )
    .toBeLessThan(60)
})

it('a clock that is ahead does not end the link of an export', async ({ service, tenant, moved }) => {
  const here = await signedIn(service.url, tenant.key)
  const there = new PageClient(moved.url)
  there.cookie = here.cookie
  await moveClock(moved, 'ahead')
  const { url } = (await here.send('POST', '/dashboard/exports', { resource: 'products' }, { 'x-page-mode': 'live' })).body.data
  const response = await there.send('GET', url, undefined, { 'x-page': undefined, 'sec-fetch-site': undefined })
  expect([response.status, response.body]).toEqual([200, undefined])
})

it('a clock that is behind ends no report too early', async ({ tenant, moved }) => {
  const product = await stockedProduct(tenant, { A: 3 })
  const order = await newOrder(tenant, { order_detail: [{ barcode: product.barcode, quantity: 1 }] })
  const flow = await tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })
  const pick = { product_id: product.id, location_id: 'A', quantity: 1 }
  expect((await tenant.request('POST', `/flows/${flow.body.data.id}/picks`, pick)).status).toBe(200)
  await moveClock(moved, 'behind')
  const since = new Date(Date.now() - 10 * DAY_MS).toISOString()
  const reports = [
    `/reports/orders?since=${since}`,
    `/reports/picking?since=${since}&by=day`,
    `/reports/picking?since=${since}&by=operator`,
    `/reports/stock?since=${since}&product_id=${product.id}`,
    `/reports/stock?since=${since}&product_id=${product.id}&step=hour`,
    `/reports/stock?since=${since}&product_id=${product.id}&location_id=A`,
  ]
  for (const path of reports) {
    const here = await tenant.request('GET', path)
    expect([path, here.status]).toEqual([path, 200])
    expect((await send(`${moved.url}/api/v1${path}`, 'GET', undefined, { key: tenant.key })).body).toEqual(here.body)
  }
})
