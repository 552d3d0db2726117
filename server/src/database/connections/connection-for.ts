import { MAX_SHARED_SIZE } from '../statements/call-batches.ts'
import type { RunOptions } from '../statements/statement.ts'

const OWN_KIND: RunOptions = {}
const BULK: RunOptions = { connection: 'bulk' }

/** Options for a `write` of this many rows. It runs over a connection for bulk writes if a batched call of that size would. */
export const connectionFor = (rows: number): RunOptions => (rows > MAX_SHARED_SIZE ? BULK : OWN_KIND)
