import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** The data that makes a copy of the files a restorable database. */
export interface BackupEnd {
  /** The contents of the file `backup_label`. */
  label: string
  firstLogSegment: string
  lastLogSegment: string
}

/**
 * Runs `copyFiles` while the server is in backup mode, then `copyLog`. A replication slot retains the write-ahead log for `copyLog`. Backup
 * mode and the slot belong to the session: if this process dies, both end and the server continues.
 */
export async function inBackupMode(
  connectionString: string,
  copyFiles: () => Promise<void>,
  copyLog: (end: BackupEnd) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString, keepAlive: true })
  // If the connection breaks, the next query fails.
  client.on('error', () => {})
  await client.connect()
  try {
    const name = `backup_${randomBytes(6).toString('hex')}`
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [name])
    await client.query('select pg_backup_start($1, true)', [name])
    await copyFiles()
    await copyLog(await stop(client))
  } finally {
    await client.end()
  }
}

async function stop(client: pg.Client): Promise<BackupEnd> {
  const { rows } = await client.query(
    'select labelfile as label, pg_walfile_name(lsn) as last, spcmapfile as tablespaces from pg_backup_stop(false)',
  )
  const [{ label, last, tablespaces }] = rows as [{ label: string; last: string; tablespaces: string }]
  if (tablespaces !== '') throw new Error('Databases with tablespaces cannot be backed up this way')
  const first = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/m.exec(label)?.[1]
  if (first === undefined) throw new Error(`Postgres began the backup at an unknown log position: ${label}`)
  return { label, firstLogSegment: first, lastLogSegment: last }
}
