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
export function useHeldRows<Row>({ list, latest, idOf, limit, isHeld }: HeldRowsOptions<Row>): HeldRows<Row> {
  const [held, setHeld] = useState<{ list: string; rows: readonly Row[] }>()
  // Where nothing is shown, nothing can move.
  const isOpen = !isHeld || held?.list !== list || held.rows.length === 0
  if (latest !== undefined && isOpen && (held?.list !== list || held.rows !== latest)) setHeld({ list, rows: latest })
  const newest = latest ?? []
  // The rows of the list before stay until those of this one are there.
  const shown = held !== undefined && (held.list === list || latest === undefined) ? held.rows : newest
  const byId = new Map(newest.map((row) => [idOf(row), row]))
  const shownIds = new Set(shown.map(idOf))
  return {
    // From a full page a row may have been pushed out by new ones; from any other it is gone.
    rows: shown.flatMap((row) => byId.get(idOf(row)) ?? (latest === undefined || latest.length >= limit ? [row] : [])),
    newCount: newest.filter((row) => !shownIds.has(idOf(row))).length,
    release: () => {
      if (latest !== undefined) setHeld({ list, rows: latest })
    },
  }
}
