import { existsSync } from 'node:fs'
import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** In the order in which they start: the longest files are in the first one. */
const PROJECTS = ['slow', 'isolated', 'shared', 'without service']

/** Files of more than ten seconds. One of them that started last would have a worker to itself. */
const LONGEST_FIRST = [
  'test/simulator/simulator.test.ts',
  'test/readme/shell-blocks.test.ts',
  'test/shards/move.test.ts',
  'test/shards/failing-copy.test.ts',
  'test/embedded/several-processes.test.ts',
  'test/neighbours/event-loop.test.ts',
  'test/faults/database-loss.test.ts',
  'test/shards/callers.test.ts',
  'test/shards/background.test.ts',
  'test/shards/shards.test.ts',
  'test/shards/replica.test.ts',
  'test/shards/rights.test.ts',
  'test/shards/installation.test.ts',
  'test/shards/fence.test.ts',
  'test/embedded/one-process.test.ts',
  'test/faults/replica-reads.test.ts',
  'test/upgrade/migrations.test.ts',
  'test/neighbours/large-responses.test.ts',
  'test/processes/restarts.test.ts',
  'test/processes/stopping.test.ts',
  'test/faults/scale-out.test.ts',
  'test/faults/failover.test.ts',
  'test/faults/kills.test.ts',
  'test/tracing/settings.test.ts',
  'test/faults/busy-process.test.ts',
  'test/processes/one-port.test.ts',
  'test/neighbours/reservations.test.ts',
  'test/tracing/traces.test.ts',
  'test/web/dashboard/access.test.ts',
  'test/command-line/export.test.ts',
  'test/command-line/import.test.ts',
  'test/command-line/backup.test.ts',
  'test/api/unread-bodies.test.ts',
  'test/web/scan/camera.test.ts',
  'test/plans/statements.test.ts',
  'test/web/dashboard/live.test.ts',
  'test/command-line/rotate-encryption.test.ts',
  'test/web/scan/budgets.test.ts',
  'test/plans/hot-queries.test.ts',
  'test/concurrency/fair-connections.test.ts',
  'test/contract/every-operation.test.ts',
  'test/docs/reference-page.test.ts',
  'test/concurrency/reservations.test.ts',
  'test/web/dashboard/names.test.ts',
  'test/web/scan/access.test.ts',
  'test/plans/page-statements.test.ts',
  'test/web/dashboard/picking.test.ts',
  'test/webhooks/workers.test.ts',
  'test/webhooks/partitions.test.ts',
  'test/model/reservations-model.test.ts',
  'test/command-line/demo.test.ts',
  'test/web/dashboard/frame.test.ts',
  'test/web/scan/offline.test.ts',
  'test/web/scan/picking-day.test.ts',
  'test/web/dashboard/lists.test.ts',
  'test/web/dashboard/scopes.test.ts',
  'test/web/dashboard/charts.test.ts',
  'test/web/dashboard/failure.test.ts',
  'test/web/security/exports.test.ts',
]

const ROOT = path.join(import.meta.dirname, '../..')
const missing = LONGEST_FIRST.filter((file) => !existsSync(path.join(ROOT, file)))
if (missing.length > 0)
  throw new Error(`LONGEST_FIRST in ${import.meta.filename} lists files that do not exist: ${missing.join(', ')}`)

const rank = ({ moduleId }: TestSpecification): number => {
  const found = LONGEST_FIRST.findIndex((file) => moduleId.endsWith(file))
  return found < 0 ? LONGEST_FIRST.length : found
}

/** Starts the longest files of a project first. The rest is in Vitest's order: by size, or by the durations of the last run. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of the sequencer, not of an array
    const sorted = await super.sort(files)
    // One project after the other: a worker of one cannot go on with a file of another.
    return [...new Set([...PROJECTS, ...sorted.map(({ project }) => project.name)])].flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).toSorted((one, other) => rank(one) - rank(other)),
    )
  }
}
