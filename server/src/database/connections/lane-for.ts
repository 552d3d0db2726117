import { MAX_SHARED_SIZE } from '../statements/call-batches.ts'
import type { RunOptions } from './queryable.ts'

const OWN_LANE: RunOptions = {}
const BULK: RunOptions = { lane: 'bulk' }

/** Options for a `write` of this many rows. It runs in the lane `bulk` if a batched call of that size would. */
export const laneFor = (rows: number): RunOptions => (rows > MAX_SHARED_SIZE ? BULK : OWN_LANE)
