import { join } from 'node:path'

// Where the embedded database lies in the data folder of the service. The entries of backups have the same names.

/** Postgres's own data folder. */
export const DATA_FOLDER = 'postgres'
/** The credentials and the port. */
export const ACCESS_FILE = 'postgres.json'

/** Postgres's own data folder inside the data folder of the service. */
export function dataFolderOf(dataDir: string): string {
  return join(dataDir, DATA_FOLDER)
}

/** The file with the major version of Postgres. Where it is missing, there is no database. */
export function versionFileOf(dataDir: string): string {
  return join(dataFolderOf(dataDir), 'PG_VERSION')
}
