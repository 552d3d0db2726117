import { focusManager } from '@tanstack/react-query'
import { useEffect } from 'react'
import { idleMs } from '../../shared/page-fetch.ts'
import { lostPulses, queries } from './client.ts'
import { changedKinds, type Known, type PulseKind, PulseRefused, readPulse, shows, type Tokens } from './pulse.ts'
import { needSignIn, signInNeeded } from './session.tsx'
import { createStore } from './store.ts'

const EVERY_MS = 3_000
const PAUSED_AFTER_MS = 30 * 60_000

/** Whether nobody has used the page for so long that it reads nothing by itself any more. */
export const isPaused = createStore(false)

/** While the page can be seen and is used, asks every three seconds what has changed, and reads that again. */
export function usePulse(): void {
  useEffect(() => {
    const beat = beatOf()
    const timer = setInterval(() => void beat(), EVERY_MS)
    const wake = (): void => {
      if (isPaused.get()) resume(beat)
    }
    const show = (): void => {
      if (!document.hidden) void beat()
    }
    for (const event of INPUTS) addEventListener(event, wake, { capture: true, passive: true })
    document.addEventListener('visibilitychange', show)
    void beat()
    return () => {
      clearInterval(timer)
      for (const event of INPUTS) removeEventListener(event, wake, { capture: true })
      document.removeEventListener('visibilitychange', show)
    }
  }, [])
}

const INPUTS = ['pointerdown', 'keydown', 'pointermove']

/** One pulse, unless the one before is under way or nobody looks. */
function beatOf(): () => Promise<void> {
  let known: Known | undefined
  let isUnderWay = false
  let notBefore = 0
  const isDue = (): boolean =>
    !isUnderWay &&
    performance.now() >= notBefore &&
    !document.hidden &&
    navigator.onLine &&
    !isPaused.get() &&
    !signInNeeded.get()
  return async () => {
    if (idleMs() >= PAUSED_AFTER_MS) pause()
    if (!isDue()) return
    isUnderWay = true
    try {
      const before = known
      known = await readPulse(known)
      if (before === undefined) readEarlierAgain(known.tokens)
      else if (before !== known) readAgain(changedKinds(before.tokens, known.tokens))
    } catch (error) {
      // Another one follows. Only an ended session does not mend by itself.
      if (error instanceof PulseRefused) {
        notBefore = performance.now() + error.waitMs
        if (error.status === 401) needSignIn()
      }
      // A proxy answers for a server that is gone.
      const isLost = !(error instanceof PulseRefused) || error.status >= 500
      if (isLost && !document.hidden && !signInNeeded.get()) lostPulses.set((lost) => lost + 1)
    } finally {
      isUnderWay = false
    }
  }
}

/** What was read before the first pulse: a change in between is in its tokens already. */
function readEarlierAgain(tokens: Tokens): void {
  const all = Object.keys(tokens) as PulseKind[]
  void queries.invalidateQueries({ predicate: (query) => query.state.data !== undefined && shows(query, all) })
}

function readAgain(changed: readonly PulseKind[]): void {
  void queries.invalidateQueries({ predicate: (query) => shows(query, changed) })
}

/** To the queries it is as if nobody saw the page: none is read again by itself. */
function pause(): void {
  isPaused.set(() => true)
  focusManager.setFocused(false)
}

/** Reads again what is on screen. */
function resume(beat: () => Promise<void>): void {
  isPaused.set(() => false)
  focusManager.setFocused(undefined)
  void beat()
}
