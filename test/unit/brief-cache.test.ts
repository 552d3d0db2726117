import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { BriefCache } from '@fulfillment/server/http/brief-cache.ts'

/** A cache of the values in `stored`, and the names that it reads. */
function cacheOf(stored: Map<string, { value: number }>) {
  const reads: string[] = []
  const cache = new BriefCache(async (name: string) => {
    reads.push(name)
    return stored.get(name)
  })
  return { cache, reads }
}

it('reads a value once in 0.8 seconds, also for concurrent calls', async () => {
  const { cache, reads } = cacheOf(new Map([['a', { value: 1 }]]))
  expect(await Promise.all([cache.find('a'), cache.find('a')])).toEqual([{ value: 1 }, { value: 1 }])
  await cache.find('a')
  expect(reads).toEqual(['a'])
  await delay(900)
  await cache.find('a')
  expect(reads).toEqual(['a', 'a'])
})

it('does not cache that a value is missing', async () => {
  const stored = new Map<string, { value: number }>()
  const { cache } = cacheOf(stored)
  expect(await cache.find('a')).toBeUndefined()
  stored.set('a', { value: 1 })
  expect(await cache.find('a')).toEqual({ value: 1 })
})

it('forgets the values that match', async () => {
  const { cache, reads } = cacheOf(
    new Map([
      ['a', { value: 1 }],
      ['b', { value: 2 }],
    ]),
  )
  await cache.find('a')
  await cache.find('b')
  cache.forget(({ value }) => value === 1)
  await cache.find('a')
  await cache.find('b')
  expect(reads).toEqual(['a', 'b', 'a'])
})

it('does not cache a value whose read began before it was forgotten', async () => {
  const first = Promise.withResolvers<{ value: number }>()
  const results = [first.promise, Promise.resolve({ value: 2 })]
  const cache = new BriefCache(async () => await results.shift())
  const early = cache.find('a')
  cache.forget(({ value }) => value === 1)
  first.resolve({ value: 1 })
  expect(await early).toEqual({ value: 1 })
  expect(await cache.find('a')).toEqual({ value: 2 })
})

it('tries again after a read that failed', async () => {
  const results = [Promise.reject(new Error('The database does not respond')), Promise.resolve({ value: 1 })]
  const cache = new BriefCache(async () => await results.shift())
  await expect(cache.find('a')).rejects.toThrow('does not respond')
  expect(await cache.find('a')).toEqual({ value: 1 })
})
