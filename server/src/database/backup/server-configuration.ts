import { DATA_FOLDER } from '../embedded/cluster-files.ts'

/**
 * The server's configuration files: programs to run, client authentication, folders. In a tampered archive they could run any program at the
 * first start, so their contents are never restored. The embedded server gets its settings on the command line.
 */
const OWN_CONFIGURATION: Record<string, string> = {
  'postgresql.conf': '',
  'postgresql.auto.conf': '',
  'pg_hba.conf': ['127.0.0.1/32', '::1/128']
    .flatMap((address) => [`host all all ${address} scram-sha-256\n`, `host replication all ${address} scram-sha-256\n`])
    .join(''),
  'pg_ident.conf': '',
}

/** Files that could make a server read its log with any program, follow another server, or use other folders for its data. */
const UNSAFE = new Set(['recovery.signal', 'standby.signal', 'recovery.conf', 'tablespace_map'])

/** The content that replaces a configuration file of the archive; undefined for any other file. */
export function ownConfigurationOf(name: string): string | undefined {
  return OWN_CONFIGURATION[nameInData(name) ?? '']
}

/** Whether a file is dangerous. No backup made by this service contains one. */
export function isUnsafe(name: string): boolean {
  return UNSAFE.has(nameInData(name) ?? '')
}

/** In small letters: some file systems take `PostgreSQL.conf` for the file that the server reads. */
function nameInData(name: string): string | undefined {
  return name.startsWith(`${DATA_FOLDER}/`) ? name.slice(DATA_FOLDER.length + 1).toLowerCase() : undefined
}
