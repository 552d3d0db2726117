/** What sorts an entry. */
export interface SortKey {
  /** A time in milliseconds: texts of one length, which sort as times. */
  at: string
  rank: number
  id: string
}

/** The order of a timeline. Ids are compared as text: they have no character beyond ASCII. */
export const inOrder = (a: SortKey, b: SortKey): number => compared(a.at, b.at) || a.rank - b.rank || compared(a.id, b.id)

const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
