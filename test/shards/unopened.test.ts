import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { followShards } from '@fulfillment/server/shards/follow-shards.ts'
import { Shards } from '@fulfillment/server/shards/shards.ts'
import { it } from '../support/it.ts'

it('a shard whose address cannot be decrypted is tried, and reported, every two seconds at most', async ({ database }) => {
  const { db } = database
  const reports: string[] = []
  const shards = new Shards(db)
  const add = async (key: string): Promise<void> => {
    const address = createEncryption(key).encrypt(database.url)
    await db.dedicatedPool.query('insert into shards (id, url_ciphertext, first_tenant_id) values (9, $1, 8000000)', [address])
  }
  await add('another key')
  const begunAt = performance.now()
  const following = await followShards(shards, {
    encryption: createEncryption('the key'),
    log: { info: () => {}, warn: (_, message) => void reports.push(message) },
    uses: () => true,
    prepare: () => Promise.reject(new Error('not in this test')),
    endDeadSwitch: async () => {},
    start: () => ({ stop: async () => {} }),
  })
  onTestFinished(() => following.stop())
  const failures = (): number => reports.filter((report) => report === 'a shard cannot be opened; it will be tried again').length
  for (let look = 0; look < 10; look++) await shards.refresh()
  expect(failures()).toBeGreaterThan(0)
  expect(failures()).toBeLessThanOrEqual(1 + Math.floor((performance.now() - begunAt) / 1_500))
  const before = failures()
  await delay(1_600)
  await shards.refresh()
  expect(failures()).toBeGreaterThan(before)

  // A shard that was removed and added again is another one.
  await db.dedicatedPool.query('delete from shards where id = 9')
  await shards.refresh()
  await add('the key')
  await shards.refresh()
  await expect.poll(() => reports).toContain('a shard cannot be used; it will be tried again')
})
