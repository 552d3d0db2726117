import { useLayoutEffect, useRef } from 'react'
import { useApp } from '../app/use-app.ts'
import type { Stop } from '../picking/stops.ts'
import type { WalkView } from '../picking/view.ts'

/** A walk on the screen. */
export interface ShownWalk extends WalkView {
  seenStop: () => Stop | undefined
}

/** So soon after the screen has changed, a hand still does what the eyes saw before. */
const LOOK_MS = 1_000

/**
 * Tells which stop the operator has seen: that on the screen, or for a moment the one before, if it was not the operator who changed it but what
 * the server said.
 */
export function useSeenStop(current: Stop | undefined): () => Stop | undefined {
  const { verdict } = useApp().ui
  const shown = useRef({ stop: current, verdict: verdict?.id, before: current, changedAt: -Infinity })
  useLayoutEffect(() => {
    const { stop, verdict: verdictBefore, before, changedAt } = shown.current
    const isSame = stop?.key === current?.key && stop?.quantity === current?.quantity
    const isOwn = verdictBefore !== verdict?.id
    if (isSame && !isOwn) return
    const now = performance.now()
    // Of several changes in a row, what was there before the first of them was seen.
    const seen = now - changedAt < LOOK_MS ? before : stop
    shown.current = { stop: current, verdict: verdict?.id, before: seen, changedAt: isOwn ? -Infinity : now }
  })
  return () => {
    const { stop, before, changedAt } = shown.current
    return performance.now() - changedAt < LOOK_MS ? before : stop
  }
}
