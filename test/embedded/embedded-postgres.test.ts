import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../server/src/database/embedded-postgres.ts'
import { tryLock } from '../../server/src/database/embedded-postgres/file-lock.ts'

const SCRIPT = fileURLToPath(new URL('start-postgres.ts', import.meta.url))
const SOURCE = new URL('../../server/src/database/embedded-postgres.ts', import.meta.url).href
const NOBODY = 65534
const AS_NOBODY = ['setpriv', '--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups']
const isRoot = process.getuid?.() === 0

let dataDir: string
let started: EmbeddedPostgres[]
let children: ChildProcess[]

beforeEach(async () => {
  dataDir = await mkdtemp(join(await realpath(tmpdir()), 'embedded-postgres-'))
  started = []
  children = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(started.map((postgres) => postgres.stop()))
  const left = await postmasterPid().catch(() => undefined)
  if (left && isAlive(left)) process.kill(left, 'SIGKILL')
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
  if (left) throw new Error('a Postgres was left running')
})

describe('a single process', () => {
  test('gets a database on an empty data folder', async () => {
    const { connectionString } = await start()
    expect(
      await query(
        connectionString,
        `
      select current_database() as database, current_setting('server_encoding') as encoding, lower('ÄÖÜ') as lower,
             current_setting('timezone') as timezone, current_setting('max_connections') as connections`,
      ),
    ).toEqual([{ database: 'fulfillment', encoding: 'UTF8', lower: 'äöü', timezone: 'UTC', connections: '200' }])
  })

  test('keeps fsync on unless told otherwise', async () => {
    const postgres = await startEmbeddedPostgres({ dataDir })
    started.push(postgres)
    expect(await query(postgres.connectionString, 'show fsync')).toEqual([{ fsync: 'on' }])
  })

  test('lets in only who knows the password, which only its owner can read', async () => {
    const { connectionString } = await start()
    const wrong = new URL(connectionString)
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
    expect((await stat(join(dataDir, 'postgres.json'))).mode & 0o777).toBe(0o600)
  })

  test('finds its data again, and its port, after a stop', async () => {
    const first = await start()
    await query(first.connectionString, 'create table kept as select 42 as answer')
    const pid = await postmasterPid()
    await Promise.all([first.stop(), first.stop()])
    await ended(pid)
    const second = await start()
    expect(second.connectionString).toBe(first.connectionString)
    expect(await query(second.connectionString, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  test('keeps its connection string and committed data when Postgres is killed, again and again', async () => {
    const { connectionString } = await start()
    await query(connectionString, 'create table kept (round int)')
    for (const round of [1, 2, 3]) {
      await query(connectionString, `insert into kept values (${round})`)
      process.kill(await postmasterPid(), 'SIGKILL')
      await recovered(connectionString)
      expect(await query(connectionString, 'select max(round) as round from kept')).toEqual([{ round }])
    }
  })

  // The shared memory of such a session keeps a new Postgres from starting.
  test.runIf(process.platform === 'linux')('recovers although a session of the killed Postgres works on', async () => {
    const { connectionString } = await start()
    const busy = query(connectionString, 'do $$ begin loop end loop; end $$').catch(() => 'ended')
    await sleep(300)
    process.kill(await postmasterPid(), 'SIGKILL')
    await recovered(connectionString)
    expect(await busy).toBe('ended')
  })

  test('does not restart what it has stopped', async () => {
    const postgres = await start()
    await postgres.stop()
    await sleep(600)
    await expect(postmasterPid()).rejects.toThrow('ENOENT')
  })

  test('takes another port when its own is taken', async () => {
    const first = await start()
    await first.stop()
    const squatter = createServer().listen(Number(new URL(first.connectionString).port), '127.0.0.1')
    await once(squatter, 'listening')
    try {
      const second = await start()
      expect(new URL(second.connectionString).port).not.toBe(`${(squatter.address() as AddressInfo).port}`)
      await query(second.connectionString, 'select 1')
    } finally {
      squatter.close()
    }
  })

  test.runIf(process.platform === 'linux')(
    'is not misled when the number of a killed Postgres belongs to another process',
    async () => {
      const postgres = await start()
      await postgres.stop()
      const { uid } = await stat(join(dataDir, 'postgres'))
      const other = spawn('sleep', ['60'], isRoot ? { uid } : {})
      children.push(other)
      const port = new URL(postgres.connectionString).port
      await writeFile(
        join(dataDir, 'postgres/postmaster.pid'),
        `${other.pid}\n${dataDir}/postgres\n1\n${port}\n\n127.0.0.1\n\nready\n`,
      )
      await query((await start()).connectionString, 'select 1')
      expect(await postmasterPid()).not.toBe(other.pid)
    },
  )
})

describe('several processes', () => {
  test('that start at once on an empty folder share one Postgres', async () => {
    const users = [spawnUser(), spawnUser(), spawnUser()]
    const strings = await Promise.all(users.map((user) => user.connectionString))
    expect(new Set(strings).size).toBe(1)
    await query(strings[0]!, 'select 1')
    const pid = await postmasterPid()
    await Promise.all(users.map((user) => user.stop()))
    await ended(pid)
  })

  test('leave in any order, and only the last one stops Postgres', async () => {
    const first = await start()
    const second = spawnUser()
    const third = spawnUser()
    expect(await second.connectionString).toBe(first.connectionString)
    expect(await third.connectionString).toBe(first.connectionString)
    await second.stop()
    await query(first.connectionString, 'select 1')
    await first.stop()
    await query(first.connectionString, 'select 1')
    const pid = await postmasterPid()
    await third.stop()
    await ended(pid)
  })

  test('go on with the same connection string when Postgres is killed after its starter has left', async () => {
    const starter = spawnUser()
    const connectionString = await starter.connectionString
    await start()
    await start()
    await starter.stop()
    process.kill(await postmasterPid(), 'SIGKILL')
    await recovered(connectionString)
    expect(await query(connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('a Postgres that outlived its killed process is joined, watched and in the end stopped', async () => {
    const killed = spawnUser()
    const connectionString = await killed.connectionString
    const orphan = await postmasterPid()
    await killed.kill()
    expect(isAlive(orphan)).toBe(true)

    const postgres = await start()
    expect(postgres.connectionString).toBe(connectionString)
    expect(await postmasterPid()).toBe(orphan)

    process.kill(orphan, 'SIGKILL')
    await recovered(connectionString)
    const successor = await postmasterPid()
    await postgres.stop()
    await ended(successor)
  })

  test('killed with everything at once leave data that starts again', async () => {
    const killed = spawnUser()
    const connectionString = await killed.connectionString
    await query(connectionString, 'create table kept as select 42 as answer')
    const pid = await postmasterPid()
    await killed.kill()
    process.kill(pid, 'SIGKILL')
    expect(await query((await start()).connectionString, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  test('killed in the middle of initdb leave nothing that counts', async () => {
    const killed = spawnUser()
    await vi.waitUntil(async () => (await readdir(dataDir, { recursive: true })).some((path) => path.endsWith('/PG_VERSION')), {
      timeout: 60_000,
      interval: 5,
    })
    await killed.kill()
    const first = await start()
    await query(first.connectionString, 'select 1')
    await first.stop()
    await start()
    expect((await readdir(dataDir)).filter((name) => name.includes('initdb'))).toEqual([])
  })

  test('do not start a second Postgres while someone else is there whose Postgres cannot be seen', async () => {
    const otherContainer = tryLock(join(dataDir, 'postgres.users.lock'), 'shared')
    await expect(start()).rejects.toThrow('in another container')
    otherContainer?.release()
  })

  test('a Ctrl-C reaches the process but not its Postgres', async () => {
    const user = spawnUser({ detached: true })
    await user.connectionString
    const pid = await postmasterPid()
    process.kill(-user.pid, 'SIGINT')
    expect(await user.nextLine()).toBe('interrupted')
    await sleep(300)
    expect(isAlive(pid)).toBe(true)
    await user.stop()
  })
})

describe('users', () => {
  test.runIf(isRoot)('root starts Postgres as nobody, under a folder that only root may enter', async () => {
    await chmod(dataDir, 0o700)
    await mkdir(join(dataDir, 'inner'), { mode: 0o700 })
    const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'inner') })
    started.push(postgres)
    await query(postgres.connectionString, 'create table written as select 1; checkpoint')
    const pid = Number((await readFile(join(dataDir, 'inner/postgres/postmaster.pid'), 'utf8')).split('\n')[0])
    expect((await stat(`/proc/${pid}`)).uid).toBe(NOBODY)
  })

  test.runIf(isRoot)('an ordinary user starts Postgres as is', async ({ skip }) => {
    const load = `import(${JSON.stringify(SOURCE)})`
    const [setpriv, ...args] = [...AS_NOBODY, process.execPath, '-e', load]
    const readable = spawnSync(setpriv, args, { cwd: '/' }).status === 0
    skip(!readable, 'an ordinary user cannot read this repository, or not run this Node')
    await chown(dataDir, NOBODY, NOBODY)
    const user = spawnUser({ prefix: AS_NOBODY })
    await query(await user.connectionString, 'select 1')
    const pid = await postmasterPid()
    expect((await stat(`/proc/${pid}`)).uid).toBe(NOBODY)
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/CapEff:\s0+\n/)
    await user.stop()
    await ended(pid)
  })

  test.runIf(isRoot)('root joins and restarts the Postgres of an ordinary user', async () => {
    await chown(dataDir, 1, 1)
    const first = await start()
    await first.stop()
    await chownAll(join(dataDir, 'postgres'), 1)
    await query((await start()).connectionString, 'select 1')
    expect((await stat(`/proc/${await postmasterPid()}`)).uid).toBe(1)
  })
})

describe('says what to do', () => {
  test('about data of another major version', async () => {
    await mkdir(join(dataDir, 'postgres'))
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '15\n')
    await expect(start()).rejects.toThrow('holds data of Postgres 15, this is Postgres 18: move the data with pg_dump')
  })

  test('about a folder that holds something else', async () => {
    await mkdir(join(dataDir, 'postgres'))
    await writeFile(join(dataDir, 'postgres/notes.txt'), 'mine')
    await expect(start()).rejects.toThrow('remove it, or choose another DATA_DIR')
  })

  test('about a folder it cannot write', async () => {
    await writeFile(join(dataDir, 'file'), '')
    await expect(startEmbeddedPostgres({ dataDir: join(dataDir, 'file/data') })).rejects.toThrow(
      'choose another DATA_DIR, or set DATABASE_URL',
    )
  })

  test('about a lost password', async () => {
    await (await start()).stop()
    await rm(join(dataDir, 'postgres.json'))
    await expect(start()).rejects.toThrow('postgres.json, which holds the password of the database, is missing')
  })

  test('with the words of Postgres, when it does not start', async () => {
    await expect(startEmbeddedPostgres({ dataDir, settings: { no_such_setting: '1' } })).rejects.toThrow('no_such_setting')
  })
})

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
  started.push(postgres)
  return postgres
}

async function query(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function recovered(connectionString: string): Promise<void> {
  await vi.waitFor(() => query(connectionString, 'select 1'), { timeout: 60_000, interval: 50 })
}

async function postmasterPid(): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
}

// Not at once: the number is given up only when the parent, which may be the system's first process, has taken note.
async function ended(pid: number): Promise<void> {
  await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000 })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function chownAll(folder: string, uid: number): Promise<void> {
  const entries = await readdir(folder, { recursive: true })
  await Promise.all(['', ...entries].map((entry) => chown(join(folder, entry), uid, uid)))
}

interface User {
  pid: number
  connectionString: Promise<string>
  nextLine(): Promise<string>
  stop(): Promise<void>
  kill(): Promise<void>
}

function spawnUser({ prefix = [], detached = false }: { prefix?: string[]; detached?: boolean } = {}): User {
  const [file, ...args] = [...prefix, process.execPath, SCRIPT, dataDir]
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'], detached })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => (await lines.next()).value ?? 'ended'
  const exit = once(child, 'exit')
  return {
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
}
