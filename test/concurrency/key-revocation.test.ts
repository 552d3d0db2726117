import { expect } from 'vitest'
import { it } from '../support/it.ts'
import { atMost } from '../support/patience.ts'
import { send } from '../support/service.ts'

it('a key that is revoked on one server is rejected by the others within a second', async ({ service, tenant, startService }) => {
  const other = await startService({ databaseUrl: service.databaseUrl })
  const { body } = await tenant.request('POST', '/api-keys', { name: 'leaked', preset: 'read_only' })
  const { id, key } = body.data
  const use = async (): Promise<number> => (await send(`${other.url}/api/v1/orders`, 'GET', undefined, { key })).status
  expect(await use()).toBe(200)
  expect((await tenant.request('DELETE', `/api-keys/${id}`)).status).toBe(200)
  await expect.poll(use, { timeout: atMost(1_000) }).toBe(401)
})
