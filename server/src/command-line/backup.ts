import type { Command } from 'commander'
import { createBackup, restoreBackup } from '../database/backup/index.ts'
import { readConfig, type Config } from '../config.ts'
import { onInterrupt } from './interruption.ts'
import { startProgress } from './progress.ts'
import { print, type CommandResult } from './result.ts'

interface BackupOptions {
  quiet?: boolean
  json?: boolean
}

const MEBIBYTE = 1_048_576

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('Back up the embedded database and its secrets to a new file. The server can be running')
    .argument('<file>', 'file to create, such as backup.tar.gz; it contains all data and secrets')
    .option('--quiet', 'show no progress')
    .option('--json', 'print one JSON object: file, bytes, created_at, version, postgres, arch, encryption_key')
    .action((file: string, options: BackupOptions) =>
      followed(options, async (config, following) => {
        if (file === '') throw new Error('<file>: names no file')
        const { format: _, ...made } = await createBackup(config, file, following)
        const size = `${(made.bytes / MEBIBYTE).toFixed(1)} MiB`
        const note = made.encryption_key === 'included' ? '' : '\nIt does not contain ENCRYPTION_KEY: keep that key separately'
        return { json: { file, ...made }, text: `Backed up ${config.dataDir} to ${file} (${size})${note}` }
      }),
    )

  program
    .command('restore')
    .description('Restore a backup into DATA_DIR, which must be empty or missing')
    .argument('<file>', 'file created by `backup`')
    .option('--quiet', 'show no progress')
    .option('--json', 'print one JSON object: file, created_at, version, postgres, arch, encryption_key')
    .action((file: string, options: BackupOptions) =>
      followed(options, async (config, following) => {
        const { format: _, ...about } = await restoreBackup(config, file, following)
        const needsKey = about.encryption_key === 'environment' && config.encryptionKey === undefined
        const note = needsKey ? '\nBefore you start the server, set ENCRYPTION_KEY to its value at the time of the backup' : ''
        return { json: { file, ...about }, text: `Restored the backup of ${about.created_at} to ${config.dataDir}${note}` }
      }),
    )
}

type Following = Parameters<typeof createBackup>[2]

/** Runs the work, shows its progress on standard error, and prints the result. Ctrl-C aborts the work. */
async function followed(
  options: BackupOptions,
  work: (config: Config, following: Following) => Promise<CommandResult>,
): Promise<void> {
  const config = readConfig(process.env)
  const interruption = onInterrupt('Stopping')
  const progress = startProgress('MiB', options)
  const onProgress = (bytes: number, share: number): void => progress.update(Math.floor(bytes / MEBIBYTE), share)
  const ended = (): void => {
    progress.stop()
    interruption.stopListening()
  }
  const { signal } = interruption
  const result = await work(config, { onProgress, signal })
    .catch((error: unknown) => {
      signal.throwIfAborted()
      throw error
    })
    .finally(ended)
  print(options, result)
}
