import type { Command } from 'commander'
import type { OpenedShard } from '../shards/open-shards.ts'
import { type CommandResult, print } from './result.ts'
import { runOnShards } from './run.ts'

export function addMaintenanceCommands(program: Command): void {
  program
    .command('migrate')
    .description('Migrate the schema of the database and of all shards. The server also does this when it starts')
    .option(
      '--json',
      'print one JSON object: migrations, the names of the executed migrations; unreachable_shards, the ids of shards that were not migrated',
    )
    .action((options: { json?: boolean }) =>
      runOnShards(options, async ({ opened }, migrations) => resultOfMigration(opened, migrations), { mayCreate: true }),
    )

  program
    .command('openapi')
    .description('Print the OpenAPI document')
    .option('--json', 'print it on one line')
    .action(async (options: { json?: boolean }) => {
      // Loaded here, with every endpoint: other commands need none of it.
      const { openApiDocument } = await import('../openapi/document.ts')
      const document = openApiDocument()
      print(options, { json: document, text: JSON.stringify(document, null, 2) })
    })
}

/** Fails when a shard was left out: its servers would find the schema of before. */
function resultOfMigration(opened: readonly OpenedShard[], migrations: string[]): CommandResult {
  const unreachable = opened.filter(({ db }) => db === undefined).map(({ id }) => id)
  const done = migrations.length === 0 ? 'The schema is up to date' : `Ran ${migrations.join(', ')}`
  const json = { migrations, unreachable_shards: unreachable }
  if (unreachable.length === 0) return { json, text: done }
  process.exitCode = 1
  return {
    json,
    text: `${done}, but not in ${unreachable.map((id) => `shard ${id}`).join(', ')}: repeat this when it can be reached`,
  }
}
