import { randomBytes, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chown, mkdir, readFile, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../runtime/sync-folder.ts'
import { ACCESS_FILE, DATA_FOLDER, dataFolderOf, versionFileOf } from './cluster-files.ts'
import { findPostgresPrograms, type PostgresPrograms, run } from './postgres-programs.ts'
import { clearRemains, findSettledPostmaster } from './postmaster.ts'
import { choosePorts, startPostmaster } from './start-postmaster.ts'

/** A Postgres cluster in a data folder, running or not. */
export interface Cluster {
  /** The data folder of the service. */
  dataDir: string
  /** Postgres's own data folder inside `dataDir`. */
  directory: string
  programs: PostgresPrograms
  /** Server settings that extend or replace the defaults of this module. */
  settings: Record<string, string>
  logFile: string
}

/** The credentials and port of a cluster. */
export interface ClusterAccess {
  password: string
  port: number
}

/** Opens the cluster in a data folder. Throws when it cannot be used on this machine. */
export async function openCluster(path: string, settings: Record<string, string>): Promise<Cluster> {
  const dataDir = await makeWritable(path)
  const directory = dataFolderOf(dataDir)
  const programs = await findPostgresPrograms(directory)
  return { directory, dataDir, programs, settings, logFile: join(dataDir, 'postgres.log') }
}

/**
 * Creates and starts the cluster unless it is running. The caller must hold the cluster's lock. With `fixedPort`, an existing cluster is
 * only restarted, on that port.
 */
export async function ensureRunning(cluster: Cluster, fixedPort?: number): Promise<ClusterAccess> {
  const exists = await hasData(cluster)
  if (!exists && fixedPort) throw new Error(`the data in ${cluster.directory} is gone`)
  const { password, port } = await readAccess(cluster, exists)
  const running = exists ? await findSettledPostmaster(cluster.directory) : undefined
  if (running) return { password, port: running.port }
  await removeDrafts(cluster)
  if (exists) await clearRemains(cluster.directory)
  else await initialise(cluster, password)
  const started = await startPostmaster(cluster, fixedPort ? [fixedPort] : choosePorts(port))
  if (started !== port) await writeAccess(cluster, { password, port: started })
  return { password, port: started }
}

async function makeWritable(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await access(path, constants.W_OK | constants.X_OK)
    return await realpath(path)
  } catch (error) {
    throw new Error(
      `the data folder ${path} is not writable (${(error as NodeJS.ErrnoException).code}): choose another DATA_DIR, or set DATABASE_URL to a Postgres server of your own`,
      { cause: error },
    )
  }
}

async function hasData({ dataDir, directory, programs }: Cluster): Promise<boolean> {
  const version = await readIfThere(versionFileOf(dataDir))
  if (version && version.trim() !== programs.majorVersion) {
    throw new Error(
      `${directory} holds data of Postgres ${version.trim()}, this is Postgres ${programs.majorVersion}: move the data with pg_dump, or choose another DATA_DIR`,
    )
  }
  if (!version && (await readdirIfThere(directory)).length) {
    throw new Error(`${directory} contains something other than Postgres data: remove it, or choose another DATA_DIR`)
  }
  return version !== undefined
}

async function readAccess(cluster: Cluster, exists: boolean): Promise<{ password: string; port?: number }> {
  const saved = await readIfThere(accessFile(cluster))
  if (saved) return JSON.parse(saved)
  if (exists) throw new Error(`${accessFile(cluster)}, which holds the password of the database, is missing: restore it`)
  const created = { password: randomBytes(24).toString('hex') }
  await writeAccess(cluster, created)
  return created
}

async function writeAccess(cluster: Cluster, saved: { password: string; port?: number }): Promise<void> {
  const draft = `${accessFile(cluster)}.new`
  await writeFile(draft, JSON.stringify(saved), { mode: 0o600, flush: true })
  await rename(draft, accessFile(cluster))
}

function accessFile({ dataDir }: Cluster): string {
  return join(dataDir, ACCESS_FILE)
}

// The data folder gets its name when `initdb` has succeeded, so a killed `initdb` leaves nothing that looks like a cluster. Each attempt has
// its own folder: the `initdb` of a killed process continues for a while.
async function initialise({ directory, dataDir, programs }: Cluster, password: string): Promise<void> {
  const draft = `${directory}.initdb-${randomUUID()}`
  await mkdir(draft, { mode: 0o700 })
  if (programs.owner) await chown(draft, programs.owner.uid, programs.owner.gid)
  const passwordFile = `${draft}.password`
  await writeFile(passwordFile, password, { mode: 0o600 })
  try {
    await run(
      programs.command('initdb', [
        '--pgdata',
        draft,
        '--username',
        'postgres',
        '--pwfile',
        passwordFile,
        '--auth',
        'scram-sha-256',
        '--encoding',
        'UTF8',
        '--locale',
        'C',
        '--locale-provider',
        'builtin',
        '--builtin-locale',
        'C.UTF-8',
      ]),
    )
  } finally {
    await rm(passwordFile)
  }
  await rename(draft, directory)
  await syncFolder(dataDir)
}

async function removeDrafts({ dataDir }: Cluster): Promise<void> {
  const drafts = (await readdir(dataDir)).filter((name) => name.startsWith(`${DATA_FOLDER}.initdb-`))
  // A draft that is still being written may not be deletable. The next start deletes it.
  await Promise.allSettled(drafts.map((name) => rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 })))
}

async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(ifThere)
}

async function readdirIfThere(path: string): Promise<string[]> {
  return (await readdir(path).catch(ifThere)) ?? []
}

function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
