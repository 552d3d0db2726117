import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { SlowestFirst } from './test/support/slowest-first.ts'

/**
 * Files that run one after the other in the same processes: they need the server's modules, which take a second to load. What a file leaves
 * behind in them, such as a moved clock, would stay for the next one; such a file belongs to another folder.
 */
const SHARED = [
  ...['api', 'command-line', 'concurrency', 'docs', 'plans', 'web', 'webhooks'].map((folder) => `test/${folder}/**/*.test.ts`),
  // That one declares a topic, which the modules of the server then know.
  'test/contract/!(new-slice).test.ts',
]

/**
 * The same for files that start no service. They have processes of their own: some of them stop the clock of the timers, which a service in the
 * same process would not outlive.
 */
const WITHOUT_SERVICE = ['test/unit/**/*.test.ts', 'test/sdk/!(end-to-end).test.ts']

/**
 * `npm run test:slow`: they take an installation apart, or repeat one check for every screen, device or block of the documents. That is two
 * fifths of the time of all tests.
 */
const SLOW = [
  ...['embedded', 'faults', 'model', 'neighbours', 'processes', 'readme', 'shards', 'simulator', 'upgrade'].map(
    (folder) => `test/${folder}/**/*.test.ts`,
  ),
  ...[
    'command-line/backup',
    'contract/properties',
    'web/dashboard/access',
    'web/dashboard/names',
    'web/scan/access',
    'web/scan/budgets',
    'web/scan/killed-browser',
    'web/scan/picking-day',
  ].map((file) => `test/${file}.test.ts`),
]

/** Needs Patroni, etcd and HAProxy: `npm run test:cluster`. */
const CLUSTER = process.env.CLUSTER === 'true' ? [] : ['test/cluster/**']

const project = (name: string, isolate: boolean, include: string[], exclude: string[] = []): TestProjectInlineConfiguration => ({
  // The SDK's sources rather than its build: what is tested is what is there.
  ssr: { resolve: { conditions: ['@fulfillment/source', 'module', 'node', 'development|production'] } },
  test: {
    name,
    isolate,
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    // Limits for what hangs, not for what is slow: they must hold on a machine whose cores are all taken by something else.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // The one reason to run a test again. The browser gives up all requests when an address of the machine comes or goes: the pages cope with
    // that, a test that waits for one of those requests cannot.
    retry: { count: 2, condition: /ERR_NETWORK_CHANGED/ },
  },
})

export default defineConfig({
  test: {
    projects: [
      project('slow', true, SLOW),
      project('isolated', true, ['test/**/*.test.ts'], [...SLOW, ...SHARED, ...WITHOUT_SERVICE, ...CLUSTER]),
      project('without service', false, WITHOUT_SERVICE),
      project('shared', false, SHARED, SLOW),
    ],
    globalSetup: 'test/support/global-setup.ts',
    sequence: { sequencer: SlowestFirst },
    // Twice the cores of the smallest machine, because tests also wait: with three workers, all of them would wait a fifth of the time, and the
    // cores be idle. The tests' Postgres has connections for four.
    maxWorkers: 4,
    // Of the tests of a file that run at the same time, because they wait.
    maxConcurrency: 12,
  },
})
