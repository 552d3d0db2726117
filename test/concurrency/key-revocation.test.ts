import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send, startService, type TestService } from '../support/service.ts'

let one: TestService
let other: TestService
beforeAll(async () => {
  one = await startService()
  other = await startService({ databaseUrl: one.databaseUrl })
})
afterAll(async () => {
  await other.stop()
  await one.stop()
})

it('a key that is revoked on one server is refused by the others within a second', async () => {
  const tenant = await one.newTenant()
  const { body } = await tenant.request('POST', '/api-keys', { name: 'leaked', preset: 'read_only' })
  const { id, key } = body.data
  const use = async (): Promise<number> => (await send(`${other.url}/api/v1/orders`, 'GET', undefined, { key })).status
  expect(await use()).toBe(200)
  expect((await tenant.request('DELETE', `/api-keys/${id}`)).status).toBe(200)
  await delay(1_000)
  expect(await use()).toBe(401)
})
