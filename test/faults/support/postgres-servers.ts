import { execFile } from 'node:child_process'
import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { connectionString, makeDatabase } from '@fulfillment/server/database/embedded/application-database.ts'
import { ensureRunning, openCluster } from '@fulfillment/server/database/embedded/postgres-cluster.ts'
import { findPostmaster, stopPostmaster } from '@fulfillment/server/database/embedded/postmaster.ts'
import { signalPostgres } from './postgres-processes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const copyFolder = promisify(execFile)

/** A Postgres server that is not restarted automatically. */
export interface PostgresServer {
  readonly url: string
  readonly dataDir: string
  query(sql: string): Promise<pg.QueryResult>
  /** Kills the server, like a power failure. */
  kill(): Promise<void>
  /** Starts the server again after `stop` or `kill`. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Stops the server and deletes its data. */
  remove(): Promise<void>
}

/** Starts a Postgres server with an empty database. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const dataDir = await newFolder('primary')
  // Retains the log for a standby that was disconnected.
  const all = { wal_keep_size: '512MB', ...settings }
  const access = await ensureRunning(await openCluster(dataDir, all))
  await untilDone(() => makeDatabase(access))
  return serverOf(dataDir, all, access.password, access.port)
}

/** Starts a streaming replica with this `application_name`. */
export async function startStandby(primary: PostgresServer, name: string): Promise<PostgresServer> {
  const dataDir = await newFolder(name)
  const { hostname, port: primaryPort, password } = new URL(primary.url)
  const label = await backUp(primary, dataDir)
  const directory = path.join(dataDir, 'postgres')
  await writeFile(path.join(directory, 'backup_label'), label)
  await writeFile(path.join(directory, 'standby.signal'), '')
  await writeFile(path.join(dataDir, 'postgres.json'), JSON.stringify({ password }))
  const conninfo = `host=${hostname} port=${primaryPort} user=postgres password=${password} application_name=${name}`
  const settings = { primary_conninfo: conninfo, wal_retrieve_retry_interval: '100ms' }
  const { port } = await ensureRunning(await openCluster(dataDir, settings))
  const standby = serverOf(dataDir, settings, password, port)
  await untilReady(standby)
  return standby
}

const newFolder = (name: string): Promise<string> => temporaryFolder(`fulfillment-${name}-`)

/** Copies the data of a running server with the low-level backup API. Returns the backup label. */
async function backUp(primary: PostgresServer, dataDir: string): Promise<string> {
  const client = await connected(primary.url)
  try {
    await client.query(`select pg_backup_start('standby', true)`)
    const directory = path.join(dataDir, 'postgres')
    // `cp -a` preserves the owner of the files, as Postgres requires. A file that disappears during the copy is not needed.
    await copyFolder('cp', ['-a', path.join(primary.dataDir, 'postgres'), directory]).catch((error: { stderr?: string }) => {
      const others = (error.stderr ?? '').split('\n').filter((line) => line !== '' && !line.includes('No such file'))
      if (error.stderr === undefined || others.length > 0) throw error
    })
    // Deletes the copied log, which may be half-written. The standby gets the log from the primary.
    const log = await readdir(path.join(directory, 'pg_wal'), { withFileTypes: true })
    const segments = log.filter((entry) => entry.isFile()).map(({ name }) => path.join('pg_wal', name))
    for (const name of ['postmaster.pid', 'postmaster.opts', ...segments]) await rm(path.join(directory, name), { force: true })
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    return rows[0].labelfile
  } finally {
    await client.end()
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  await client.connect()
  return client
}

const untilReady = (server: PostgresServer): Promise<void> => untilDone(() => server.query('select 1'))

/** Repeats the work until the server has started. */
async function untilDone(work: () => Promise<unknown>): Promise<void> {
  for (const until = Date.now() + 60_000; ; await delay(20)) {
    try {
      return void (await work())
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}

function serverOf(dataDir: string, settings: Record<string, string>, password: string, port: number): PostgresServer {
  const directory = path.join(dataDir, 'postgres')
  const url = connectionString({ password, port })
  const stop = async (): Promise<void> => {
    const postmaster = findPostmaster(directory)
    if (postmaster !== undefined) await stopPostmaster(directory, postmaster.pid)
  }
  const server: PostgresServer = {
    url,
    dataDir,
    query: async (sql) => {
      const client = await connected(url)
      try {
        return await client.query(sql)
      } finally {
        await client.end()
      }
    },
    kill: async () => {
      signalPostgres(dataDir, 'SIGKILL')
      while (findPostmaster(directory) !== undefined) await delay(5)
    },
    start: async () => {
      await ensureRunning(await openCluster(dataDir, settings), port)
      await untilReady(server)
    },
    stop,
    remove: async () => {
      await stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  return server
}
