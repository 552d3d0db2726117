import { useState } from 'react'

export interface HeldRowsOptions<Row> {
  /** Names the list: other filters are another list, which is shown at once. */
  list: string
  /** The newest page of the list; undefined while there is none. */
  latest: readonly Row[] | undefined
  idOf: (row: Row) => string
  /** Rows of a full page. */
  limit: number
  /** Whether new rows wait until they are asked for. */
  isHeld: boolean
  /** Whether those that wait already go on waiting. */
  isKept?: boolean
}

interface Held<Row> {
  list: string
  rows: readonly Row[]
  /** Whether new rows wait. */
  isAwaited: boolean
}

export interface HeldRows<Row> {
  rows: readonly Row[]
  /** Rows that wait. */
  newCount: number
  release: () => void
}

/**
 * The rows of a list that is read again and again: what is on screen changes in place, and new rows never move the row under the pointer.
 */
export function useHeldRows<Row>(options: HeldRowsOptions<Row>): HeldRows<Row> {
  const { list, latest, idOf, limit, isHeld, isKept = isHeld } = options
  const [held, setHeld] = useState<Held<Row>>()
  const newest = latest ?? []
  // The rows of the list before stay until those of this one are there.
  const shown = held !== undefined && (held.list === list || latest === undefined) ? held.rows : newest
  const byId = new Map(newest.map((row) => [idOf(row), row]))
  const shownIds = new Set(shown.map(idOf))
  const newCount = newest.filter((row) => !shownIds.has(idOf(row))).length
  // Where nothing is shown, nothing can move.
  const isClosed = held?.list === list && held.rows.length > 0 && (isHeld || (isKept && held.isAwaited))
  const next: Held<Row> = isClosed ? { ...held, isAwaited: newCount > 0 } : { list, rows: newest, isAwaited: false }
  const isSame = held?.list === next.list && held.rows === next.rows && held.isAwaited === next.isAwaited
  if (latest !== undefined && !isSame) setHeld(next)
  return {
    // From a full page a row may have been pushed out by new ones; from any other it is gone.
    rows: shown.flatMap((row) => byId.get(idOf(row)) ?? (latest === undefined || latest.length >= limit ? [row] : [])),
    newCount,
    release: () => {
      if (latest !== undefined) setHeld({ list, rows: latest, isAwaited: false })
    },
  }
}
