import { setTimeout as delay } from 'node:timers/promises'
import { activeTenants } from './active-tenants.ts'

/** Length of a turn: short compared to a request, long compared to the cost of waiting for the next turn. */
const TURN_MS = 2
/** Work starts without a turn, because most of it takes less than the wait for one. */
const FREE_MS = 1
/** Pause after a turn, as a multiple of its duration, while several tenants are active: long work gets a quarter of the loop's time. */
const PAUSE = 3
/** Maximum pause: a turn can take very long, for example because of a garbage collection. */
const LONGEST_PAUSE_MS = 10

/** Maximum pause after work that mostly waits for the database. */
const LONGEST_PAUSE_AFTER_MS = 50

const waiting: (() => void)[] = []
let endsAtMs = 0
let startedAtMs = 0
let pauseMs = 0
let isScheduled = false

/**
 * Waits for a turn. Each iteration of the event loop gives one turn, however many wait, so that requests that arrive meanwhile are handled
 * in between. Otherwise ten long tasks in parallel would hold the loop for ten turns.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (!isScheduled) scheduleTurn()
  })
}

/** Whether long work must wait for its next turn. Call it between parts that take a millisecond or two. */
export function isTurnOver(): boolean {
  return performance.now() >= endsAtMs
}

/** Starts long work. Call the returned function between parts: it returns whether the work must wait for its next turn. */
export function beginWork(): () => boolean {
  const freeUntilMs = performance.now() + FREE_MS
  return () => isTurnOver() && performance.now() >= freeUntilMs
}

/** Pauses after a part of long work, including its database time. While a single tenant is active, there is no pause. */
export async function pauseAfter(tookMs: number): Promise<void> {
  if (activeTenants.areSeveral) await delay(Math.min(PAUSE * tookMs, LONGEST_PAUSE_AFTER_MS))
}

/** Maps a long array in turns. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  const mustWait = beginWork()
  for (const [index, item] of items.entries()) {
    if (mustWait()) await nextTurn()
    results.push(map(item, index))
  }
  return results
}

function giveTurn(): void {
  startedAtMs = performance.now()
  endsAtMs = startedAtMs + TURN_MS
  waiting.shift()?.()
}

/** Runs right after the work of the turn, which continues in microtasks. */
function endTurn(): void {
  pauseMs += PAUSE * (performance.now() - startedAtMs)
  endsAtMs = 0
  isScheduled = false
  if (waiting.length > 0) scheduleTurn()
}

function scheduleTurn(): void {
  isScheduled = true
  if (!activeTenants.areSeveral) pauseMs = 0
  // Timers have a resolution of one millisecond.
  if (pauseMs < 1) return inNextRound()
  setTimeout(inNextRound, Math.min(pauseMs, LONGEST_PAUSE_MS))
  pauseMs = 0
}

function inNextRound(): void {
  setImmediate(giveTurn)
  setImmediate(endTurn)
}
