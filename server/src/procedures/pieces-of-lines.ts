/** Most lines of a list that is read in one piece, and of each piece of a larger one: about 100 kB. A single record may have more. */
export const LINES_OF_PIECE = 500

/** The ids of records, in the order given, a limited number of lines at a time. */
export function* piecesOfLines<Row extends { id: number }>(
  rows: Iterable<Row>,
  linesOf: (row: Row) => number,
): Generator<number[]> {
  let ids: number[] = []
  let lines = 0
  for (const row of rows) {
    const more = linesOf(row)
    if (ids.length > 0 && lines + more > LINES_OF_PIECE) {
      yield ids
      ;[ids, lines] = [[], 0]
    }
    ids.push(row.id)
    lines += more
  }
  if (ids.length > 0) yield ids
}
