import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { send, startService, type TestService } from '../support/service.ts'

const MOVED_CLOCK = fileURLToPath(new URL('../support/moved-clock.ts', import.meta.url))

let service: TestService
let moved: ServerProcess
beforeAll(async () => {
  service = await startService()
  moved = await startServerProcess({
    DATABASE_URL: service.databaseUrl,
    NODE_OPTIONS: `--import ${MOVED_CLOCK}`,
    LOG_LEVEL: 'silent',
  })
})
afterAll(async () => {
  await moved.end('SIGKILL')
  await service.stop()
})

const DAY_MS = 86_400_000

const statusOf = async (key: string): Promise<number> =>
  (await send(`${moved.url}/api/v1/orders`, 'GET', undefined, { key })).status

/** The next signal moves the clock of that server; it answers a moment later. */
async function moveClock(signal: 'SIGUSR2' | 'SIGWINCH'): Promise<void> {
  moved.child.kill(signal)
  await new Promise((resolve) => setTimeout(resolve, 200))
}

it('a clock that goes back keeps no revoked key alive, and no expired one', async () => {
  const tenant = await service.newTenant()
  const { key, id } = (await tenant.request('POST', '/api-keys', { name: 'leaked', preset: 'read_only' })).body.data
  const expiring = await tenant.createKey({ expires_at: new Date(Date.now() + 3_000).toISOString() })
  expect([await statusOf(key), await statusOf(expiring)]).toEqual([200, 200])
  await moveClock('SIGUSR2')
  expect((await tenant.request('DELETE', `/api-keys/${id}`)).status).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(await statusOf(key)).toBe(401)
  await expect.poll(() => statusOf(expiring)).toBe(401)
})

it('a clock that is ahead refuses no key, and says no wrong time of its last use', async () => {
  const tenant = await service.newTenant()
  const key = await tenant.createKey({ expires_at: new Date(Date.now() + DAY_MS / 2).toISOString(), name: 'used' })
  await moveClock('SIGWINCH')
  expect(await statusOf(key)).toBe(200)
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
