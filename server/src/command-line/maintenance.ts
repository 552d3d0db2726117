import type { Command } from 'commander'
import { print } from './result.ts'
import { runOnShards } from './run.ts'

export function addMaintenanceCommands(program: Command): void {
  program
    .command('migrate')
    .description('Migrate the schema of the database and of all shards. The server also does this when it starts')
    .option('--json', 'print one JSON object: migrations, the names of the executed migrations')
    .action((options: { json?: boolean }) =>
      runOnShards(
        options,
        async (_shards, migrations) => ({
          json: { migrations },
          text: migrations.length === 0 ? 'The schema is up to date' : `Ran ${migrations.join(', ')}`,
        }),
        { mayCreate: true },
      ),
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
