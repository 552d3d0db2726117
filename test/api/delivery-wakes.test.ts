import { expect } from 'vitest'
import { DeliveryWakes } from '@fulfillment/server/http/delivery-wakes.ts'
import { it } from '../support/it.ts'

it('writes of a tenant wake the delivery engine while it has subscriptions', async ({ service, tenant, receiver }) => {
  const wakes = new DeliveryWakes(() => service.db)
  let count = 0
  const write = (operation?: string): void => wakes.wrote(tenant.id, operation, () => count++)
  const settled = async (): Promise<number> => {
    // Before the database was asked, every write wakes it.
    await service.db.run({ name: 'nothing_in_test', connection: 'read', sql: 'select' }, [])
    count = 0
    for (let times = 0; times < 3; times++) write('stock.adjust')
    return count
  }
  write('stock.adjust')
  expect(count).toBe(1)
  await expect.poll(settled).toBe(0)
  const webhook = { name: 'all', url: receiver.url, events: ['*'] }
  const { id } = (await tenant.request('POST', '/webhooks', webhook)).body.data
  // A request of this process: it knows at once.
  count = 0
  write('webhooks.create')
  expect(count).toBe(1)
  expect(await settled()).toBe(3)
  await tenant.request('DELETE', `/webhooks/${id}`)
  write('webhooks.delete')
  await expect.poll(settled).toBe(0)
})
