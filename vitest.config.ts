import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { SlowestFirst } from './test/support/slowest-first.ts'

/**
 * Files that run one after the other in the same processes: they need the server's modules, which take a second to load. What a file leaves
 * behind in them, such as a moved clock, would stay for the next one; such a file belongs to another folder.
 */
const SHARED = [
  ...['api', 'command-line', 'concurrency', 'docs', 'model', 'plans', 'web', 'webhooks'].map(
    (folder) => `test/${folder}/**/*.test.ts`,
  ),
  // That one declares a topic, which the modules of the server then know.
  'test/contract/!(new-slice).test.ts',
]

/**
 * The same for files that start no service. They have processes of their own: some of them stop the clock of the timers, which a service in the
 * same process would not outlive. The other file of `test/unit` needs that no tenant was active.
 */
const WITHOUT_SERVICE = ['test/unit/!(byte-shares).test.ts', 'test/sdk/!(end-to-end).test.ts']

/** Needs Patroni, etcd and HAProxy: `npm run test:cluster`. */
const CLUSTER = process.env.CLUSTER === 'true' ? [] : ['test/cluster/**']

const project = (name: string, isolate: boolean, include: string[], exclude: string[]): TestProjectInlineConfiguration => ({
  // The SDK's sources rather than its build: what is tested is what is there.
  ssr: { resolve: { conditions: ['@fulfillment/source', 'module', 'node', 'development|production'] } },
  test: {
    name,
    isolate,
    include,
    exclude,
    // Limits for what hangs, not for what is slow: they must hold on a machine whose cores are all taken by something else.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
})

export default defineConfig({
  test: {
    projects: [
      project('isolated', true, ['test/**/*.test.ts'], [...configDefaults.exclude, ...SHARED, ...WITHOUT_SERVICE, ...CLUSTER]),
      project('without service', false, WITHOUT_SERVICE, configDefaults.exclude),
      project('shared', false, SHARED, configDefaults.exclude),
    ],
    globalSetup: 'test/support/global-setup.ts',
    sequence: { sequencer: SlowestFirst },
    // Twice the cores of the smallest machine: a fifth of the time, the tests of three only wait. The tests' Postgres has connections for four.
    maxWorkers: 4,
    // Of the tests of a file that run at the same time, because they wait.
    maxConcurrency: 12,
  },
})
