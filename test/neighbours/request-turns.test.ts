import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { RequestTurns } from '../../server/src/http/request-turns.ts'

/** Asks for a turn and notes when it comes. */
function ask(turns: RequestTurns, tenantId: number, began: number[]): void {
  const turn = turns.take(tenantId)
  if (turn === undefined) began.push(tenantId)
  else void turn.then(() => began.push(tenantId))
}

it('a tenant that is alone waits for nothing, however much it sends', () => {
  const turns = new RequestTurns()
  const began: number[] = []
  for (let n = 0; n < 100; n++) ask(turns, 1, began)
  expect(began).toHaveLength(100)
})

it('a few requests of each tenant begin in a round, so that one comes before the hundreds of another', async () => {
  const turns = new RequestTurns()
  const began: number[] = []
  // Both are known to be active.
  for (const tenantId of [1, 2]) ask(turns, tenantId, began)
  await nextRound()
  began.length = 0
  for (let n = 0; n < 200; n++) ask(turns, 1, began)
  ask(turns, 2, began)
  await nextRound()
  await nextRound()
  expect(began.slice(0, 4)).toContain(2)
  for (let round = 0; began.length < 201 && round < 200; round++) await nextRound()
  expect(began.filter((tenantId) => tenantId === 1)).toHaveLength(200)
})
