import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '@fulfillment/server/database/embedded/embedded-postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SCRIPT = fileURLToPath(new URL('start-postgres.ts', import.meta.url))

/** Starts the embedded Postgres in this process, by default without fsync. */
export type Start = (options?: Partial<EmbeddedPostgresOptions>) => Promise<EmbeddedPostgres>

/** A separate process that uses the embedded Postgres. */
export interface User {
  pid: number
  connectionString: Promise<string>
  nextLine(): Promise<string>
  stop(): Promise<void>
  kill(): Promise<void>
}

/** Starts such a process, with the command prefix `prefix`. */
export type SpawnUser = (options?: { prefix?: string[]; detached?: boolean }) => User

/** The `it` of tests of the embedded Postgres. All users of `dataDir` end with the test. A Postgres that still runs then fails the test. */
export const it = test
  .extend('dataDir', async ({}, { onCleanup }) => {
    const dataDir = await temporaryFolder('embedded-postgres-')
    onCleanup(async () => {
      const left = await postmasterPid(dataDir).catch(() => undefined)
      if (left && isAlive(left)) process.kill(left, 'SIGKILL')
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
      if (left) throw new Error('a Postgres was left running')
    })
    return dataDir
  })
  .extend('start', async ({ dataDir }, { onCleanup }): Promise<Start> => {
    const started: EmbeddedPostgres[] = []
    onCleanup(async () => {
      await Promise.all(started.map((postgres) => postgres.stop()))
    })
    return async (options) => {
      const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' }, ...options })
      started.push(postgres)
      return postgres
    }
  })
  .extend('spawnUser', async ({ dataDir }, { onCleanup }): Promise<SpawnUser> => {
    const children: ChildProcess[] = []
    onCleanup(() => {
      for (const child of children) child.kill('SIGKILL')
    })
    return (options) => {
      const { child, user } = spawnIn(dataDir, options)
      children.push(child)
      return user
    }
  })

function spawnIn(
  dataDir: string,
  { prefix = [], detached = false }: { prefix?: string[]; detached?: boolean } = {},
): { child: ChildProcess; user: User } {
  const [file, ...args] = [...prefix, process.execPath, SCRIPT, dataDir]
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'], detached })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => (await lines.next()).value ?? 'ended'
  const exit = once(child, 'exit')
  const user = {
    pid: child.pid ?? 0,
    connectionString: nextLine(),
    nextLine,
    stop: async () => {
      child.stdin.write('stop\n')
      expect(await nextLine()).toBe('stopped')
      await exit
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exit
    },
  }
  return { child, user }
}

/** The pid of the Postgres that runs on this data folder. */
export async function postmasterPid(dataDir: string): Promise<number> {
  return Number((await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
}

/** Whether a process with this pid exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
