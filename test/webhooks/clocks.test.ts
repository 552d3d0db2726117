import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { it } from './support/it.ts'
import { deliveryWhen, encryptionKey, subscribe, writeEvents } from './support/deliveries.ts'
import { acknowledge, respondWith, until } from '../support/receiver.ts'

const DAY_MS = 86_400_000
/** A wide margin for a busy machine: a time by the wrong clock is off by 400 days. */
const SOON_MS = 10 * 60_000

const WRONG_CLOCK = fileURLToPath(new URL('support/wrong-clock.ts', import.meta.url))
const PROGRAM = fileURLToPath(new URL('support/worker-process.ts', import.meta.url))

describe.each([
  ['ahead', 400 * DAY_MS],
  ['behind', -400 * DAY_MS],
])('a worker whose clock is 400 days %s', (_direction, offsetMs) => {
  it('claims, signs, schedules and leases by the database’s clock', async ({ service, tenant, startReceiver }) => {
    const receiver = await startReceiver(respondWith(500))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    const child = spawn(process.execPath, ['--import', WRONG_CLOCK, PROGRAM, service.databaseUrl, encryptionKey], {
      stdio: 'inherit',
      env: { ...process.env, CLOCK_OFFSET_MS: String(offsetMs) },
    })
    try {
      await until(() => receiver.received.length >= 1, 'the first request')
      const [first] = receiver.received
      const [, time] = /^t=(\d+),/.exec(String(first?.headers['x-webhook-signature'])) ?? []
      expect(Math.abs(Number(time) * 1_000 - Date.now())).toBeLessThan(SOON_MS)
      const failed = await deliveryWhen(tenant, id, ({ attempt_count, state }) => attempt_count === 1 && state === 'pending')
      expect(Math.abs(Date.parse(failed.attempts[0].started_at) - Date.now())).toBeLessThan(SOON_MS)
      expect(Date.parse(failed.next_attempt_at) - Date.parse(failed.attempts[0].started_at)).toBeLessThan(SOON_MS)

      receiver.behave(() => {})
      await until(() => receiver.received.length >= 2, 'the second request')
      const { rows } = await service.db.dedicatedPool.query(
        'select extract(epoch from lease_until - now())::int as seconds from waiting_deliveries where tenant_id = $1',
        [tenant.id],
      )
      // The lease is 60 seconds. The margin is for a busy machine.
      expect(rows[0].seconds).toBeGreaterThan(30)
      expect(rows[0].seconds).toBeLessThanOrEqual(60)
      receiver.behave(acknowledge)
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })
})
