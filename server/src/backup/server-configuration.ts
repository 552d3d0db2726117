import { DATA_FOLDER } from './manifest.ts'

/**
 * Files that tell a server what to run, whom to let in and where its data is. In an archive that somebody else had in hand they could
 * run any program at the first start, so their contents are never taken over: the embedded server gets its settings when it is started.
 */
const OWN_CONFIGURATION: Record<string, string> = {
  'postgresql.conf': '',
  'postgresql.auto.conf': '',
  'pg_hba.conf': ['127.0.0.1/32', '::1/128']
    .flatMap((address) => [`host all all ${address} scram-sha-256\n`, `host replication all ${address} scram-sha-256\n`])
    .join(''),
  'pg_ident.conf': '',
}

/** These make a server read its log with a program of their choice, follow another one, or put its data into other folders. */
const UNSAFE = new Set(['recovery.signal', 'standby.signal', 'recovery.conf', 'tablespace_map'])

/** What a configuration file of the server is to contain instead of what the archive has; undefined for every other file. */
export function ownConfigurationOf(name: string): string | undefined {
  return OWN_CONFIGURATION[nameInData(name) ?? '']
}

/** Whether a file is in no backup of ours and dangerous in another one. */
export function isUnsafe(name: string): boolean {
  return UNSAFE.has(nameInData(name) ?? '')
}

function nameInData(name: string): string | undefined {
  return name.startsWith(`${DATA_FOLDER}/`) ? name.slice(DATA_FOLDER.length + 1) : undefined
}
