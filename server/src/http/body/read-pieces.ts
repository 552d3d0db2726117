import type { Queryable } from '../../database/database.ts'
import type { ListInPieces } from '../../procedures/context.ts'

/** What else matters to the reading of pieces. */
interface ReadOptions {
  primary: Queryable
  onReplicaFailure: (error: unknown) => void
  /** Called behind each piece. Throws when the tenant is no longer in this database, where its rows are then deleted: the piece may lack some. */
  requireStill: () => void
}

/**
 * Reads the pieces of a list, each when it is asked for, from the database that the list was read from. From the first piece on that a replica
 * fails to read, the primary serves them all: the replica could be behind what was sent by then.
 */
export async function* readPieces<Piece>(
  { db, pieces, read }: ListInPieces<Piece>,
  { primary, onReplicaFailure, requireStill }: ReadOptions,
): AsyncGenerator<unknown[]> {
  let source = db
  const readOnPrimary = (piece: Piece, error: unknown): Promise<unknown[]> => {
    onReplicaFailure(error)
    source = primary
    return read(primary, piece)
  }
  for (const piece of pieces) {
    const reading = read(source, piece)
    const items = await (source === primary ? reading : reading.catch((error: unknown) => readOnPrimary(piece, error)))
    requireStill()
    yield items
  }
}
