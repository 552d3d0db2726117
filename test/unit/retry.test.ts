import { expect, it } from 'vitest'
import { retry } from '@fulfillment/server/runtime/retry.ts'

/** Fails as often as told, then succeeds. */
function failing(times: number): { operation: () => Promise<string>; runs: () => number } {
  let runs = 0
  return {
    operation: async () => {
      if (++runs <= times) throw new Error(`failure ${runs}`)
      return 'done'
    },
    runs: () => runs,
  }
}

const at = (options: Partial<Parameters<typeof retry>[1]>): Parameters<typeof retry>[1] => ({
  isRetryable: () => true,
  pauseMs: () => 0,
  ...options,
})

it('an operation is run again until it succeeds', async () => {
  const { operation, runs } = failing(3)
  await expect(retry(operation, at({}))).resolves.toBe('done')
  expect(runs()).toBe(4)
})

it('the last of the tries decides', async () => {
  const { operation, runs } = failing(5)
  await expect(retry(operation, at({ maxTries: 3 }))).rejects.toThrow('failure 3')
  expect(runs()).toBe(3)
})

it('what would fail again is not run again', async () => {
  const { operation, runs } = failing(1)
  await expect(retry(operation, at({ isRetryable: () => false }))).rejects.toThrow('failure 1')
  expect(runs()).toBe(1)
})

it('each wait is told before, and is as long as the failures say', async () => {
  const waits: string[] = []
  const { operation } = failing(3)
  await retry(
    operation,
    at({
      pauseMs: (failures) => (waits.push(`pause ${failures}`), 0),
      onRetry: (error) => waits.push((error as Error).message),
    }),
  )
  expect(waits).toEqual(['failure 1', 'pause 1', 'failure 2', 'pause 2', 'failure 3', 'pause 3'])
})
