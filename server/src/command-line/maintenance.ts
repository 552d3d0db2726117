import type { Command } from 'commander'
import { openApiDocument } from '../openapi/document.ts'
import { print, runOnDatabase } from './run.ts'

export function addMaintenanceCommands(program: Command): void {
  program
    .command('migrate')
    .description('Migrate the database schema. The server also does this when it starts')
    .option('--json', 'print one JSON object: migrations, the names of the executed migrations')
    .action((options: { json?: boolean }) =>
      runOnDatabase(options, async (_db, migrations) => ({
        json: { migrations },
        text: migrations.length === 0 ? 'The schema is up to date' : `Ran ${migrations.join(', ')}`,
      })),
    )

  program
    .command('openapi')
    .description('Print the OpenAPI document')
    .option('--json', 'print it on one line')
    .action((options: { json?: boolean }) => {
      const document = openApiDocument()
      print(options, { json: document, text: JSON.stringify(document, null, 2) })
    })
}
