import { Command, CommanderError } from 'commander'
import { addBackupCommands } from './command-line/backup.ts'
import { addExportCommands } from './command-line/export.ts'
import { addImportCommands } from './command-line/import.ts'
import { addKeyCommands } from './command-line/keys.ts'
import { addMaintenanceCommands } from './command-line/maintenance.ts'
import { INTERRUPTED_EXIT_CODE, InterruptedError } from './command-line/interruption.ts'
import { addTenantCommands } from './command-line/tenants.ts'

const program = new Command('fulfillment')
  .description(
    'Manages tenants and API keys of the fulfillment service, also while the server runs. Takes the same settings from the environment as the server.',
  )
  .showHelpAfterError('--help shows how it is used')
  .exitOverride()
addTenantCommands(program)
addKeyCommands(program)
addMaintenanceCommands(program)
addImportCommands(program)
addExportCommands(program)
addBackupCommands(program)

// Whoever reads what is printed may stop doing so, as with `| head`: that is no fault.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
}

/** Says what is wrong, where nothing has yet: Commander has told of arguments, and whoever pressed Ctrl-C knows. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode
  if (error instanceof InterruptedError) return INTERRUPTED_EXIT_CODE
  console.error(error instanceof Error ? error.message : error)
  return 1
}
