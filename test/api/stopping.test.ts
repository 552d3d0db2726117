import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { it } from '../support/it.ts'
import { atMost } from '../support/patience.ts'
import { freePort } from '../support/free-port.ts'
import { jsonHeaders } from './post.ts'

describe('graceful shutdown', () => {
  it('completes requests in progress, closes connections, and exits', async ({ startService }) => {
    const stopping = await startService()
    const tenant = await stopping.newTenant()
    // A bulk call waits for the catalog's lock.
    const blocker = await stopping.db.dedicatedPool.connect()
    await blocker.query('select pg_advisory_lock($1::int, 0)', [tenant.id])
    const underWay = fetch(`${stopping.url}/api/v1/products/bulk`, {
      method: 'POST',
      headers: jsonHeaders(tenant.key),
      body: JSON.stringify({ products: [{ barcode: 'b', name: 'Product' }] }),
    })
    await delay(300)
    const begun = performance.now()
    const stopped = stopping.stopServer()
    await delay(200)
    await blocker.query('select pg_advisory_unlock_all()')
    blocker.release()
    const response = await underWay
    expect(response.status).toBe(200)
    expect(response.headers.get('connection')).toBe('close')
    await response.text()
    await stopped
    expect(performance.now() - begun).toBeLessThan(atMost(4_000))
  })

  it('keeps serving until load balancers have seen that it is not ready, then rejects requests', async ({ startService }) => {
    const monitoringPort = await freePort()
    const stopping = await startService({ monitoringPort, stopDelaySeconds: 1 })
    const tenant = await stopping.newTenant()
    const ready = async () => (await fetch(`http://127.0.0.1:${monitoringPort}/readyz`)).status
    expect(await ready()).toBe(200)
    const stopped = stopping.stop()
    expect(await ready()).toBe(503)
    expect((await tenant.request('POST', '/products', { name: 'late', barcode: 'late' })).status).toBe(200)
    await stopped
    await expect(tenant.request('GET', '/products')).rejects.toThrow('ECONNREFUSED')
  })

  it('completes the record of a failed call that is being written', async ({ startService }) => {
    const stopping = await startService()
    const tenant = await stopping.newTenant()
    const { dedicatedPool } = stopping.db
    await dedicatedPool.query(`
      create function wait_a_second() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return new; end $$;
      create trigger wait_a_second before update on audit_log for each row execute function wait_a_second()`)
    expect((await tenant.request('PUT', '/orders/424242', { customer_name: 'Ada' })).status).toBe(404)
    const asleep = async (): Promise<number | null> =>
      (await dedicatedPool.query(`select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`))
        .rowCount
    await expect.poll(asleep, { interval: 20 }).toBe(1)
    await stopping.stopServer()
    const { rows } = await dedicatedPool.query('select name, error from order_calls where tenant_id = $1', [tenant.id])
    expect(rows).toEqual([{ name: 'order/424242', error: 'not_found' }])
  })
})
