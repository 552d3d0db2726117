import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import type { TestTenant } from '../../support/service.ts'

/**
 * A proxy gives up on the page's next call to this address, a change of stock, and responds 504, while the server is still at it: the tenant's
 * stock is locked. The returned function lets the server end it, and waits for that.
 */
export async function abandonCall(page: Page, db: Database, tenant: TestTenant, address: string): Promise<() => Promise<void>> {
  const lock = await db.dedicatedPool.connect()
  await lock.query('begin')
  await lock.query('select from stock_levels where tenant_id = $1 for update', [tenant.id])
  const isLocked = async (): Promise<boolean> => {
    const waiting = 'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))'
    return (await lock.query(waiting)).rowCount === 1
  }
  const responded = Promise.withResolvers<number>()
  await page.route(
    address,
    async (route) => {
      void route.fetch().then((response) => responded.resolve(response.status()), responded.reject)
      await expect.poll(isLocked).toBe(true)
      await route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway timeout</h1>' })
    },
    { times: 1 },
  )
  return async () => {
    await lock.query('rollback')
    lock.release()
    expect(await responded.promise).toBe(200)
  }
}
