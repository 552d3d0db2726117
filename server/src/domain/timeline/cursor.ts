/** A position in a timeline: after the entry with these values. */
export interface Position {
  /** In milliseconds. */
  at: Date
  rank: number
  id: string
}

/** A time in milliseconds, a rank, and an id. The last part is base64url, so that nobody takes the cursor for something to read. */
export const CURSOR = /^(\d{1,14})-([0-8])-((?:\w|-){1,300})$/

export const cursorText = ({ at, rank, id }: Position): string =>
  `${at.getTime()}-${rank}-${Buffer.from(id).toString('base64url')}`

/** The position of a text that matches `CURSOR`. */
export function cursorOf(text: string): Position {
  const [, at, rank, id] = CURSOR.exec(text) as unknown as [string, string, string, string]
  // Postgres has no U+0000 in texts; no id has one either.
  const name = Buffer.from(id, 'base64url').toString().replaceAll('\u0000', '')
  return { at: new Date(Number(at)), rank: Number(rank), id: name }
}
