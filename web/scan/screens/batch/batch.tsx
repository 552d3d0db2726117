import { isOwnWalk } from '../../app/own-flows.ts'
import type { Tile } from '../../app/screen.ts'
import { useApp } from '../../app/use-app.ts'
import { keyOfBatch } from '../../picking/walk.ts'
import { PickBatch } from './pick-batch.tsx'
import { StartBatch } from './start-batch.tsx'

/** A batch that is picked, or the start of one. */
export default function Batch({ record }: { tile: Tile; record?: number | undefined }) {
  const app = useApp()
  // The batch may be over: what happened to its orders is in the Problems.
  if (record === undefined || !isOwnWalk(app, keyOfBatch(record))) return <StartBatch />
  return <PickBatch batch={record} />
}
