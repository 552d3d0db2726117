import { it as base } from './it.ts'
import { startService, type TestService } from './service.ts'

/** Not in the fixture: each `it.extend` has its own values of the scope `worker`. */
let started: Promise<TestService> | undefined

/**
 * The `it` of files that need only tenants of their own. Their service, and its database, is one for all such files that the same process
 * runs: this saves a database, a server and the first plan of each statement, half of the processor time of a short file.
 *
 * A file that sees or changes more than its tenants uses the `it` of `it.ts`: metrics, rows or locks of all tenants, the schema, limits of an
 * address, or what a server does when it stops. A file with settings of its own has its own service here, too.
 */
export const it = base
  .extend('sharedService', { scope: 'worker' }, ({}, { onCleanup }): (() => Promise<TestService>) => {
    onCleanup(async () => {
      const ending = started
      started = undefined
      await (await ending)?.stop()
    })
    return () => (started ??= startService())
  })
  .extend('service', { scope: 'file' }, async ({ settings, sharedService }, { onCleanup }) => {
    if (Object.keys(settings).length === 0) return await sharedService()
    const service = await startService(settings)
    onCleanup(() => service.stop())
    return service
  })
