import { MODE } from '../../data/client.ts'

/** What the last check of this browser found; Home shows it too. */
export interface LastReconcile {
  at: string
  levels: number
  differences: number
  isWhole: boolean
}

const nameFor = (tenantId: number): string => `reconcile-${tenantId}-${MODE}`

/** Undefined where no check was made or the browser keeps nothing. */
export function readLastReconcile(tenantId: number): LastReconcile | undefined {
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
}
