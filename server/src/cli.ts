import { Command, CommanderError } from 'commander'
import { addBackupCommands } from './command-line/backup.ts'
import { addExportCommands } from './command-line/export.ts'
import { addImportCommands } from './command-line/import.ts'
import { addKeyCommands } from './command-line/keys.ts'
import { addMaintenanceCommands } from './command-line/maintenance.ts'
import { addTenantCommands } from './command-line/tenants.ts'

const program = new Command('fulfillment')
  .description(
    'Manages tenants and API keys of the fulfillment service, also while the server runs. Takes the same settings from the environment as the server.',
  )
  .showHelpAfterError()
  .exitOverride()
addTenantCommands(program)
addKeyCommands(program)
addMaintenanceCommands(program)
addImportCommands(program)
addExportCommands(program)
addBackupCommands(program)

// Whoever reads what is printed may stop doing so, as with `| head`: that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  await program.parseAsync()
} catch (error) {
  // Commander has already said what is wrong with the arguments.
  if (!(error instanceof CommanderError)) console.error(error instanceof Error ? error.message : error)
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1
}
