import { Command, CommanderError } from 'commander'
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

try {
  await program.parseAsync()
} catch (error) {
  // Commander has already said what is wrong with the arguments.
  if (!(error instanceof CommanderError)) console.error(error instanceof Error ? error.message : error)
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1
}
