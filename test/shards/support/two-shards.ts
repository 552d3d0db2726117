import { inject } from 'vitest'
import { type Database, openDatabase } from '@fulfillment/server/database/database.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { it as base } from '../../support/it.ts'
import { until } from '../../support/receiver.ts'
import { newTenant, send, type TestService } from '../../support/service.ts'
import { cloneDatabase } from '../../support/test-database.ts'

export const ENCRYPTION_KEY = 'encryption key of the tests'

/** The second shard of a service. */
export interface SecondShard {
  url: string
  /** Few connections to its database. */
  db: Database
}

/**
 * The `it` of tests about the tenants of a further shard. `service` runs with two shards, one set for each file:
 *
 * - `second`: its second shard, added while it runs.
 * - `tenant`: a new tenant of the second shard for each test.
 * - `neighbour`: a new tenant of the directory.
 * - `env`: the settings with which other processes and commands work for the same service.
 */
export const it = base
  .extend('env', { scope: 'file' }, ({ service }) => ({ DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY }))
  .extend('second', { scope: 'file' }, async ({ service, env }, { onCleanup }): Promise<SecondShard> => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'))
    const db = openDatabase(url, { exclusiveConnections: 2, pipelinedConnections: 1 })
    onCleanup(async () => {
      // Its connections end with those of the service.
      await service.stop()
      await db.close()
      await drop()
    })
    const { exitCode, stderr } = await runCommand(['shards', 'add', url], env)
    if (exitCode !== 0) throw new Error(`shards add: ${stderr}`)
    await until(() => isUsed(service), 'the service to use the second shard')
    return { url, db }
  })
  .extend('tenant', async ({ service, second }) => await newTenant(service.url, second.db))
  .extend('neighbour', async ({ service, second }) => {
    if (second.url === service.databaseUrl) throw new Error('the shards have one database')
    return await service.newTenant()
  })

/** Whether a server reaches every shard. One that has just started may not have reached them all on a busy machine. */
export async function isUsed({ url }: Pick<TestService, 'url'>): Promise<boolean> {
  const { status, body } = await send(`${url}/readyz`, 'GET', undefined, {})
  return status === 200 && body.data.unreachable_shards?.length === 0
}
