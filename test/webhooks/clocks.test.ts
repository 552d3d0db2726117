import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestService } from '../support/service.ts'
import { deliveryWhen, encryptionKey, startApi, subscribe, writeEvents } from './support/deliveries.ts'
import { acknowledge, answerWith, startReceiver, until } from './support/receiver.ts'

const DAY_MS = 86_400_000

let service: TestService
beforeAll(async () => {
  service = await startApi()
})
afterAll(() => service.stop())

const WRONG_CLOCK = fileURLToPath(new URL('support/wrong-clock.ts', import.meta.url))
const PROGRAM = fileURLToPath(new URL('support/worker-process.ts', import.meta.url))

describe.each([
  ['ahead', 400 * DAY_MS],
  ['behind', -400 * DAY_MS],
])('a worker whose clock is 400 days %s', (_direction, offsetMs) => {
  it('claims, signs, schedules and leases by the clock of the database', async () => {
    const tenant = await service.newTenant()
    const receiver = await startReceiver(answerWith(500))
    const { id } = await subscribe(tenant, receiver.url)
    await writeEvents(service, tenant, 1)
    const child = spawn(process.execPath, ['--import', WRONG_CLOCK, PROGRAM, service.databaseUrl, encryptionKey], {
      stdio: 'inherit',
      env: { ...process.env, CLOCK_OFFSET_MS: String(offsetMs) },
    })
    try {
      await until(() => receiver.received.length >= 1, 'the first request', 20_000)
      const [first] = receiver.received
      const [, time] = /^t=(\d+),/.exec(String(first?.headers['x-webhook-signature'])) ?? []
      expect(Math.abs(Number(time) * 1_000 - Date.now())).toBeLessThan(10_000)
      const failed = await deliveryWhen(tenant, id, ({ attempt_count, state }) => attempt_count === 1 && state === 'pending')
      expect(Math.abs(Date.parse(failed.attempts[0].started_at) - Date.now())).toBeLessThan(10_000)
      expect(Date.parse(failed.next_attempt_at) - Date.parse(failed.attempts[0].started_at)).toBeLessThan(15_000)

      receiver.behave(() => {})
      await until(() => receiver.received.length >= 2, 'the second request', 20_000)
      const { rows } = await service.db.pool.query(
        'select extract(epoch from lease_until - now())::int as seconds from waiting_deliveries where tenant_id = $1',
        [tenant.id],
      )
      expect(rows[0].seconds).toBeGreaterThan(30)
      expect(rows[0].seconds).toBeLessThanOrEqual(60)
      receiver.behave(acknowledge)
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
      await receiver.close()
    }
  })
})
