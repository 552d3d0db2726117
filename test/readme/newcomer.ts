import { execFile, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { chown, copyFile, cp, mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { ROOT } from './shell-blocks.ts'

const run = promisify(execFile)

/** The user `nobody`, which every Linux has. A newcomer is an ordinary user, even if the tests run as root. */
const ORDINARY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const FOLDERS_WITH_PACKAGES = ['.', 'server', 'sdk', 'examples', 'test']
const PLACEHOLDER_KEY = 'service_live_…'
const DEFAULT_PORT = 3000

/** A simulated user who has just cloned the repository, into a folder with a space in its name, and types the commands of the pages. */
export interface Newcomer {
  /** Runs commands in the shell, which keeps its variables. Returns their output. Throws when a command fails. */
  type(commands: string): Promise<string>
  /** The server's output since its last start. */
  serverOutput(): string
  /** Presses Ctrl-C in the server's shell. Returns the server's exit code. */
  stopServer(): Promise<number | null>
  /** Opens a new shell in the folder of the repository. */
  openShell(): void
  leave(): Promise<void>
}

/** Clones the repository, including uncommitted changes. The packages are linked to this folder's, because a download takes a minute. */
export async function arrive(): Promise<Newcomer> {
  const home = await mkdtemp(path.join(tmpdir(), 'newcomer '))
  const folder = path.join(home, 'fulfillment')
  await cloneInto(folder)
  for (const name of FOLDERS_WITH_PACKAGES) await linkPackages(name, folder)
  if (ORDINARY.uid !== undefined) await giveAway(home)
  const port = (await isFree(DEFAULT_PORT)) ? DEFAULT_PORT : await freePort()
  const options: SpawnOptions = { cwd: folder, env: environment(home, port), detached: true, ...ORDINARY }
  let shell = new Shell(options)
  let server: ChildProcess | undefined
  let printed = ''
  let key = ''
  const start = async (): Promise<void> => {
    printed = ''
    server = spawn('npm', ['start'], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk) => (printed += String(chunk)))
    while (!/Reference {2,}http[^]*\n\n/.test(printed)) {
      if (server.exitCode !== null) throw new Error(`npm start ended with ${server.exitCode}: ${printed}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    key = /service_live_[\w-]+/.exec(printed)?.[0] ?? key
  }
  return {
    type: async (commands) => {
      let output = ''
      for (const part of commands.split(/^(npm start)$/m)) {
        if (part === 'npm start') await start()
        else output += await shell.run(part.replaceAll(PLACEHOLDER_KEY, key).replaceAll(`:${DEFAULT_PORT}`, `:${port}`))
      }
      return output
    },
    serverOutput: () => printed,
    stopServer: async () => {
      if (server === undefined || server.exitCode !== null) return server?.exitCode ?? null
      const ended = once(server, 'close')
      // A terminal sends the signal to all processes of the command.
      process.kill(-(server.pid as number), 'SIGINT')
      await ended
      return server.exitCode
    },
    openShell: () => {
      shell.close()
      shell = new Shell(options)
    },
    leave: async () => {
      shell.close()
      await rm(home, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** A bash that keeps variables from block to block, and exits when a command fails. */
class Shell {
  readonly #bash: ChildProcess
  #output = ''
  #marks = 0

  constructor(options: SpawnOptions) {
    this.#bash = spawn('bash', ['--noprofile', '--norc'], { ...options, stdio: 'pipe' })
    for (const stream of [this.#bash.stdout, this.#bash.stderr]) stream?.on('data', (chunk) => (this.#output += String(chunk)))
    // The shell exits when a command fails; `run` reports that.
    this.#bash.stdin?.on('error', () => {})
    this.#bash.stdin?.write('set -eo pipefail\nexec 2>&1\n')
  }

  async run(commands: string): Promise<string> {
    this.#output = ''
    const mark = `--- done ${this.#marks++} ---`
    const quoted = `'${commands.replaceAll("'", String.raw`'\''`)}'`
    // Commands get no input: bash itself reads the following commands from the same stream.
    this.#bash.stdin?.write(`eval ${quoted} </dev/null\necho '${mark}'\n`)
    while (!this.#output.includes(mark)) {
      if (this.#bash.exitCode !== null || this.#bash.signalCode !== null)
        throw new Error(`exit code ${this.#bash.exitCode}: ${commands}\n${this.#output}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return this.#output.replace(`${mark}\n`, '')
  }

  close(): void {
    this.#bash.stdin?.end()
  }
}

/** The environment of a login: without this process's settings, and without the Node that npm puts first in PATH for its scripts. */
function environment(home: string, port: number): NodeJS.ProcessEnv {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'))
  return {
    HOME: home,
    PATH: folders.join(':'),
    LANG: 'C.UTF-8',
    NPM_CONFIG_UPDATE_NOTIFIER: 'false',
    // Node's own place for it, in the folder for temporary files, belongs to the user who ran the tests first.
    NODE_COMPILE_CACHE: path.join(home, 'compiled'),
    ...(port === DEFAULT_PORT ? {} : { PORT: String(port), FULFILLMENT_URL: `http://127.0.0.1:${port}` }),
  }
}

async function cloneInto(folder: string): Promise<void> {
  const git = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await run('git', ['-C', ROOT, ...args], { maxBuffer: 10_000_000 })
    return stdout.split('\0').filter((name) => name !== '')
  }
  await git('clone', '--quiet', '--no-hardlinks', ROOT, folder)
  for (const name of await git('ls-files', '-z', '--modified', '--others', '--exclude-standard')) {
    if (await exists(path.join(ROOT, name))) await cp(path.join(ROOT, name), path.join(folder, name))
    else await rm(path.join(folder, name), { force: true })
  }
}

async function linkPackages(name: string, folder: string): Promise<void> {
  const [from, to] = [path.join(ROOT, name, 'node_modules'), path.join(folder, name, 'node_modules')]
  if (!(await exists(from))) return
  await run('cp', ['-al', from, to]).catch(() => run('cp', ['-a', from, to]))
  const record = path.join(to, '.package-lock.json')
  await Promise.all(['.cache', '.vite', '.vite-temp'].map((made) => rm(path.join(to, made), { recursive: true, force: true })))
  // npm overwrites this file in place. A copy protects the original.
  await rm(record, { force: true })
  if (await exists(path.join(from, '.package-lock.json'))) await copyFile(path.join(from, '.package-lock.json'), record)
}

/** Gives the newcomer all files except the linked packages: their owner would also change in the original folder. */
async function giveAway(home: string): Promise<void> {
  const { uid, gid } = ORDINARY as { uid: number; gid: number }
  const owner = `${uid}:${gid}`
  await chown(home, uid, gid)
  await run('find', [
    home,
    '(',
    '-path',
    '*/node_modules/*',
    '-not',
    '-type',
    'd',
    '-prune',
    ')',
    '-o',
    '-exec',
    'chown',
    '-h',
    owner,
    '{}',
    '+',
  ])
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

const exists = async (file: string): Promise<boolean> => (await stat(file).catch(() => undefined)) !== undefined
