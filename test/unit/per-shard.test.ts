import { expect, onTestFinished } from 'vitest'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { PerShard } from '@fulfillment/server/shards/per-shard.ts'
import { Shards } from '@fulfillment/server/shards/shards.ts'
import { it } from '../support/it.ts'

/** Nothing connects to it. */
const open = (name: string) => {
  const db = openDatabase(`postgres://nobody@127.0.0.1:9/${name}`)
  onTestFinished(() => db.close())
  return db
}

it('what was made for a shard is closed when the shard is removed, and made anew when it comes back', async () => {
  const shards = new Shards(open('directory'))
  const closed: string[] = []
  const namesOf = new PerShard(
    shards,
    ({ url }) => url.slice(url.lastIndexOf('/') + 1),
    async (name) => void closed.push(name),
  )
  const second = { id: 2, firstTenantId: 2_000_000, db: open('second') }
  shards.put(second)
  expect([namesOf.of(1), namesOf.of(2_000_001)]).toEqual(['directory', 'second'])
  await shards.remove(second)
  expect(closed).toEqual(['second'])
  expect(namesOf.of(2_000_001)).toBe('directory')

  shards.put(second)
  expect(namesOf.of(2_000_001)).toBe('second')
  await namesOf.close()
  expect(closed.toSorted()).toEqual(['directory', 'second', 'second'])
  // A second time: the process stops.
  await shards.remove(second)
  expect(closed).toHaveLength(3)
})
