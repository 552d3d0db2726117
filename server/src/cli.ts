import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { INTERRUPTED_EXIT_CODE, InterruptedError } from './command-line/interruption.ts'
import { printable } from './command-line/printable.ts'

/**
 * The files of the commands, in the order of the help. Where the first argument is a command, only its file is loaded: together they have
 * hundreds of modules, which take longer to load than most commands to run.
 */
const FILES: { commands: string[]; load: () => Promise<(program: Command) => void> }[] = [
  { commands: ['tenants'], load: async () => (await import('./command-line/tenants.ts')).addTenantCommands },
  { commands: ['keys'], load: async () => (await import('./command-line/keys.ts')).addKeyCommands },
  { commands: ['shards'], load: async () => (await import('./command-line/shards.ts')).addShardCommands },
  { commands: ['dashboard-link'], load: async () => (await import('./command-line/dashboard-link.ts')).addDashboardLinkCommand },
  { commands: ['migrate', 'openapi'], load: async () => (await import('./command-line/maintenance.ts')).addMaintenanceCommands },
  { commands: ['import'], load: async () => (await import('./command-line/import.ts')).addImportCommands },
  { commands: ['export'], load: async () => (await import('./command-line/export.ts')).addExportCommands },
  { commands: ['mcp'], load: async () => (await import('./command-line/mcp.ts')).addMcpCommand },
  { commands: ['backup', 'restore'], load: async () => (await import('./command-line/backup.ts')).addBackupCommands },
  { commands: ['demo'], load: async () => (await import('./command-line/demo.ts')).addDemoCommand },
]

const program = new Command('fulfillment')
  .description(
    'Manage the fulfillment service: tenants, API keys, backups, import and export. The server can be running. Settings are environment variables, the same as for the server.',
  )
  .version(manifest.version, '--version', 'print the version')
  .showHelpAfterError('Run with --help for usage')
  .exitOverride()
const [, , first = ''] = process.argv
const named = FILES.filter(({ commands }) => commands.includes(first))
for (const { load } of named.length === 0 ? FILES : named) (await load())(program)

// The reader of the output may close it early, as `| head` does. That is not an error. Another one, such as a full disk, fails the command, which ends
// as always: it may have started Postgres.
let outputError: unknown
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The terminal may be gone, too.
    if (error.code === 'EPIPE' || (error.code === 'EIO' && stream.isTTY)) return
    process.exitCode = 1
    if (stream === process.stdout && outputError === undefined) console.error(`Standard output: ${error.message}`)
    outputError ??= error
  })
}

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
  // The work of an interrupted command may still be running.
  if (error instanceof InterruptedError) process.exit()
}

/** Prints the error unless it was printed before: Commander reports wrong arguments, standard output its own, and Ctrl-C needs no message. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode
  if (error instanceof InterruptedError) return INTERRUPTED_EXIT_CODE
  if (error === outputError) return 1
  console.error(error instanceof Error ? printable(error.message) : error)
  return 1
}
