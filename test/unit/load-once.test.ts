import { expect, it } from 'vitest'
import { loadOnce } from '@fulfillment/server/runtime/load-once.ts'

it('is loaded once for all who ask, and again after it has failed', async () => {
  let loads = 0
  const load = loadOnce(async () => {
    if (++loads === 1) throw new Error('EMFILE')
    return loads
  })
  expect(await Promise.allSettled([load(), load()])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  expect(await Promise.all([load(), load(), load()])).toEqual([2, 2, 2])
})
