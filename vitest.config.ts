import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The SDK's sources rather than its build: what is tested is what is there.
  ssr: { resolve: { conditions: ['@fulfillment/source', 'module', 'node', 'development|production'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // Limits for what hangs, not for what is slow: they must hold on a machine whose cores are all taken by something else.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Two cores are shared by the tests, their servers and Postgres.
    maxWorkers: 2,
  },
})
