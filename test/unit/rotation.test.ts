import { expect, it } from 'vitest'
import { Rotation, type Step } from '@fulfillment/server/delivery/rotation.ts'

/** Steps with some work each, and the order in which it is done. */
function stepsWith(work: number[]): { steps: Step[]; done: number[] } {
  const done: number[] = []
  const steps = work.map((_, index) => ({
    isDue: () => (work[index] as number) > 0,
    run: async () => {
      work[index] = (work[index] as number) - 1
      done.push(index)
      return { worked: true, again: false }
    },
  }))
  return { steps, done }
}

it('runs one step at each call, those that are due in turn, and says when there is more to do', async () => {
  const rotation = new Rotation()
  const { steps, done } = stepsWith([3, 0, 2])
  const results: boolean[] = []
  for (let call = 0; call < 5; call++) results.push((await rotation.runNext(steps)).again)
  expect(done).toEqual([0, 2, 0, 2, 0])
  expect(results).toEqual([true, true, true, true, false])
  expect(await rotation.runNext(steps)).toEqual({ worked: false, again: false })
})

it('runs all steps that are due', async () => {
  const { steps, done } = stepsWith([1, 0, 1])
  expect(await new Rotation().runAll(steps)).toEqual({ worked: true, again: false })
  expect(done).toEqual([0, 2])
})
