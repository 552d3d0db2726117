import { assertFitsDocument } from '../../support/document.ts'
import { it as base } from '../../support/it.ts'
import { send, startService, type TestTenant } from '../../support/service.ts'

/**
 * The `it` of tests of concurrent calls: four servers on one database, and a tenant whose requests go to the servers in turn. One server has
 * few connections for single statements; several servers run more statements at the same time.
 */
export const it = base
  .extend('servers', { scope: 'file' }, async ({ service }, { onCleanup }) => {
    const others = await Promise.all([1, 2, 3].map(() => startService({ databaseUrl: service.databaseUrl })))
    onCleanup(async () => {
      await Promise.all(others.map((server) => server.stop()))
    })
    return [service, ...others]
  })
  .extend('tenant', async ({ service, servers }) => {
    const tenant = await service.newTenant()
    let requests = 0
    const request: TestTenant['request'] = async (method, path, body, options) => {
      const server = servers[requests++ % servers.length] ?? service
      const response = await send(`${server.url}/api/v1${path}`, method, body, { key: tenant.key, ...options })
      assertFitsDocument(method, path, response)
      return response
    }
    return { ...tenant, request }
  })
