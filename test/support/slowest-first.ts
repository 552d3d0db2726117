import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of more than 20 seconds. One of them that started last would have a worker to itself. */
const SLOW = [
  'test/readme/shell-blocks.test.ts',
  'test/neighbours/event-loop.test.ts',
  'test/embedded/several-processes.test.ts',
  'test/embedded/one-process.test.ts',
  'test/neighbours/large-responses.test.ts',
  'test/processes/restarts.test.ts',
  'test/faults/replica-reads.test.ts',
  'test/processes/stopping.test.ts',
  'test/upgrade/migrations.test.ts',
  'test/web/dashboard/access.test.ts',
  'test/contract/every-operation.test.ts',
  'test/web/scan/access.test.ts',
  'test/command-line/backup.test.ts',
  'test/docs/reference-page.test.ts',
  'test/api/unread-bodies.test.ts',
  'test/web/scan/budgets.test.ts',
  'test/web/dashboard/picking.test.ts',
  'test/command-line/export.test.ts',
  'test/web/looks/looks.test.ts',
  'test/web/scan/wedge-in-browser.test.ts',
  'test/web/scan/finish.test.ts',
]

const rank = ({ moduleId }: TestSpecification): number => {
  const found = SLOW.findIndex((file) => moduleId.endsWith(file))
  return found < 0 ? SLOW.length : found
}

/** Starts the slow files of a project first. The rest is in Vitest's order: by size, or by the durations of the last run. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of the sequencer, not of an array
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    // The order between projects stays: a worker of one cannot go on with a file of another.
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).toSorted((one, other) => rank(one) - rank(other)),
    )
  }
}
