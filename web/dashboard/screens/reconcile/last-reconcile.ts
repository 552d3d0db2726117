import { MODE } from '../../data/client.ts'
import { createStore, useStore } from '../../data/store.ts'

/** What the last check of this browser found; Home shows it too. */
export interface LastReconcile {
  at: string
  levels: number
  differences: number
  isWhole: boolean
}

const nameFor = (tenantId: number): string => `reconcile-${tenantId}-${MODE}`

/** How many results this page has kept: what shows the last one is drawn again. */
const kept = createStore(0)

/** Undefined where no check was made or the browser keeps nothing. A check that was left ends, and is kept, when another screen is there already. */
export function useLastReconcile(tenantId: number): LastReconcile | undefined {
  useStore(kept)
  return readLastReconcile(tenantId)
}

function readLastReconcile(tenantId: number): LastReconcile | undefined {
  try {
    const text = localStorage.getItem(nameFor(tenantId))
    return text === null ? undefined : (JSON.parse(text) as LastReconcile)
  } catch {
    return undefined
  }
}

export function keepLastReconcile(tenantId: number, last: LastReconcile): void {
  try {
    localStorage.setItem(nameFor(tenantId), JSON.stringify(last))
  } catch {
    // Storage is off: the result is on screen.
  }
  kept.set((count) => count + 1)
}
