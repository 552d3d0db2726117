/** Of a turn: small beside the time that a request takes, and large beside what it costs to wait for the next one. */
const TURN_MS = 4

const waiting: (() => void)[] = []
let endsAtMs = 0

/**
 * Long work waits here for its turn. One turn is given in each round of the event loop, whoever else waits, so that requests that arrive
 * meanwhile are served in between: without that, ten long works side by side would hold the loop for ten turns.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(giveTurn)
  })
}

/** Whether long work must wait for its next turn; to be asked between pieces that take a millisecond or two. */
export function isTurnOver(): boolean {
  return performance.now() >= endsAtMs
}

/** Maps a long array, turn by turn. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    if (isTurnOver()) await nextTurn()
    results.push(map(item, index))
  }
  return results
}

function giveTurn(): void {
  const resolve = waiting.shift()
  endsAtMs = performance.now() + TURN_MS
  resolve?.()
  if (waiting.length > 0) setImmediate(giveTurn)
}
