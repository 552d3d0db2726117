import { readConfig } from '../config.ts'
import type { Connection } from '../connect.ts'
import { migrate } from '../database/migrate.ts'
import { type OpenShards, openShards } from '../shards/open-shards.ts'
import { type CommandResult, print } from './result.ts'
import { withConnection } from './with-connection.ts'

/**
 * Brings the schemas of the configured database and of all shards that can be reached up to date, runs a command on them, and prints the
 * result, unless the command did. Throws if there is no database, unless the command may create one.
 */
export async function runOnShards(
  options: { json?: boolean },
  work: (shards: OpenShards, migrated: string[]) => Promise<CommandResult | void>,
  { mayCreate = false } = {},
): Promise<void> {
  const run = async ({ db, encryption }: Connection): Promise<void> => {
    const migrated = await db.withoutTimeLimits(migrate)
    const shards = await openShards(db, encryption, (line) => process.stderr.write(`${line}\n`))
    try {
      const result = await work(shards, [...migrated, ...shards.migrated])
      if (result !== undefined) print(options, result)
    } finally {
      await shards.close()
    }
  }
  await withConnection(readConfig(process.env), run, { mayCreate })
}
