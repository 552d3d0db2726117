import { Command, CommanderError } from 'commander'
import { addBackupCommands } from './command-line/backup.ts'
import { addDashboardLinkCommand } from './command-line/dashboard-link.ts'
import { addDemoCommand } from './command-line/demo.ts'
import { addExportCommands } from './command-line/export.ts'
import { addImportCommands } from './command-line/import.ts'
import { addKeyCommands } from './command-line/keys.ts'
import { addMaintenanceCommands } from './command-line/maintenance.ts'
import { addMcpCommand } from './command-line/mcp.ts'
import { INTERRUPTED_EXIT_CODE, InterruptedError } from './command-line/interruption.ts'
import { addShardCommands } from './command-line/shards.ts'
import { addTenantCommands } from './command-line/tenants.ts'

const program = new Command('fulfillment')
  .description(
    'Manage the fulfillment service: tenants, API keys, backups, import and export. The server can be running. Settings are environment variables, the same as for the server.',
  )
  .showHelpAfterError('Run with --help for usage')
  .exitOverride()
addTenantCommands(program)
addKeyCommands(program)
addShardCommands(program)
addDashboardLinkCommand(program)
addMaintenanceCommands(program)
addImportCommands(program)
addExportCommands(program)
addMcpCommand(program)
addBackupCommands(program)
addDemoCommand(program)

// The reader of the output may close it early, as `| head` does. That is not an error.
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

/** Prints the error unless it was printed before: Commander reports wrong arguments, and Ctrl-C needs no message. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode
  if (error instanceof InterruptedError) return INTERRUPTED_EXIT_CODE
  console.error(error instanceof Error ? error.message : error)
  return 1
}
