import { rm } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { inject, test } from 'vitest'
import type { Config } from '@fulfillment/server/config.ts'
import { startReceiver } from './receiver.ts'
import { startServerProcess } from './server-process.ts'
import { startService } from './service.ts'
import { starting } from './starting.ts'
import { openTestDatabase } from './test-database.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Not in the fixture: each `it.extend` has its own values of the scope `worker`. */
let launched: Promise<Browser> | undefined

/**
 * The `it` of tests that call the service. A test names the fixtures that it needs; they end with the test:
 *
 * - `service`: a server and its database, one per test file. `it.extend('settings', { scope: 'file' }, { … })` has one with other settings.
 * - `tenant`: a new tenant for each test, with an admin key.
 * - `receiver`: a webhook receiver.
 * - `startService`: starts another server with these settings. It has its own database unless the settings name one.
 * - `startProcess`: starts a server in its own process, with these environment variables.
 * - `startReceiver`: starts another receiver.
 * - `database`: a migrated database without a server, one per test file.
 * - `browser`: a real browser. The files that run in one process share it; what a test opens in it, it closes.
 * - `folder`: an empty folder.
 */
export const it = test
  .extend('settings', { scope: 'file' }, (): Partial<Config> => ({}))
  .extend('service', { scope: 'file' }, async ({ settings }, { onCleanup }) => {
    const service = await startService(settings)
    onCleanup(() => service.stop())
    return service
  })
  .extend('database', { scope: 'file' }, async ({}, { onCleanup }) => {
    const database = await openTestDatabase(inject('postgresUrl'))
    onCleanup(() => database.drop())
    return database
  })
  .extend('launch', { scope: 'worker' }, ({}, { onCleanup }): (() => Promise<Browser>) => {
    onCleanup(async () => {
      const ending = launched
      launched = undefined
      await (await ending)?.close()
    })
    return () => (launched ??= import('./browser.ts').then(({ launchBrowser }) => launchBrowser()))
  })
  .extend('browser', async ({ launch, skip }) => {
    const { isBrowserSkipped } = await import('./browser.ts')
    skip(isBrowserSkipped, 'SKIP_BROWSER is true')
    return await launch()
  })
  .extend('tenant', async ({ service }) => await service.newTenant())
  .extend(
    'startService',
    starting(startService, (service) => service.stop()),
  )
  .extend(
    'startProcess',
    starting(startServerProcess, (server) => server.end('SIGTERM')),
  )
  .extend(
    'startReceiver',
    starting(startReceiver, (receiver) => receiver.close()),
  )
  .extend('receiver', async ({ startReceiver }) => await startReceiver())
  .extend('folder', async ({}, { onCleanup }) => {
    const folder = await temporaryFolder('fulfillment-test-')
    onCleanup(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
    return folder
  })

it.override = () => {
  throw new Error('Use it.extend: an override also holds for the files that the same process runs afterwards')
}
