import { execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

/**
 * Installs the packed tarball in an empty project, as a user would, and runs the same story in every runtime against the real server. The
 * runtimes come from `smoke/package.json`.
 */
const run = promisify(execFile)
const sdk = fileURLToPath(new URL('../', import.meta.url))
const root = join(sdk, '..')
const runtimes = join(sdk, 'smoke/node_modules')

const folder = await mkdtemp(join(tmpdir(), 'sdk-smoke-'))
try {
  const project = await installTarball()
  const server = await startServer()
  try {
    for (const [name, command, ...args] of programs(project))
      await attempt(name!, () => runProgram(name!, command!, args, server))
  } finally {
    await server.stop()
  }
  for (const format of ['mts', 'cts']) await attempt(`types in .${format}`, () => compileConsumer(project, format))
} finally {
  await rm(folder, { recursive: true, force: true })
}

interface Server {
  baseUrl: string
  apiKey: string
  stop(): Promise<void>
}

function programs(project: string): string[][] {
  const node20 = join(runtimes, 'node-20/bin/node')
  const node22 = join(runtimes, 'node-22/bin/node')
  const esm = join(project, 'esm.js')
  const cjs = join(project, 'cjs.cjs')
  return [
    ['node 20 esm', node20, esm],
    ['node 20 cjs', node20, cjs],
    ['node 22 esm', node22, esm],
    ['node 22 cjs', node22, cjs],
    [`node ${process.versions.node} esm`, process.execPath, esm],
    [`node ${process.versions.node} cjs`, process.execPath, cjs],
    ['deno', join(runtimes, '.bin/deno'), 'run', '--quiet', '--allow-net', '--allow-env=SMOKE', '--allow-read', esm],
    ['bun', join(runtimes, '.bin/bun'), esm],
    ['workerd', process.execPath, join(sdk, 'smoke/run-worker.js'), join(project, 'bundle.js')],
  ]
}

async function installTarball(): Promise<string> {
  await run('npm', ['pack', '--pack-destination', folder], { cwd: sdk })
  const project = join(folder, 'project')
  await cp(join(sdk, 'smoke'), project, { recursive: true, filter: (path) => !/node_modules|package(-lock)?\.json/.test(path) })
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await run('npm', ['install', '--no-audit', '--no-fund', `file:${await tarball()}`], { cwd: project })
  await build({
    entryPoints: [join(project, 'worker.js')],
    outfile: join(project, 'bundle.js'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
  })
  return project
}

async function tarball(): Promise<string> {
  const { name, version } = (await import('../package.json', { with: { type: 'json' } })).default
  return join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
}

async function startServer(): Promise<Server> {
  const child = spawn(process.execPath, [join(root, 'server/src/main.ts')], {
    env: { ...process.env, PORT: '0', DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  let baseUrl: string | undefined
  let apiKey: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    baseUrl ??= /http:\S+?(?=\/api\/v1)/.exec(line)?.[0]
    apiKey ??= /service_live_\S+/.exec(line)?.[0]
    if (baseUrl && apiKey) return { baseUrl, apiKey, stop }
  }
  throw new Error('The server ended before it said where it listens')
}

async function runProgram(name: string, command: string, args: string[], { baseUrl, apiKey }: Server): Promise<void> {
  const env = { ...process.env, SMOKE: JSON.stringify({ baseUrl, apiKey, name }) }
  await run(command, args, { env, cwd: join(folder, 'project'), timeout: 60_000 })
}

async function compileConsumer(project: string, extension: string): Promise<void> {
  const file = join(project, `consumer.${extension}`)
  await cp(join(project, 'consumer.ts'), file)
  const typeRoots = join(root, 'node_modules/@types')
  const flags = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--typeRoots',
    typeRoots,
    '--types',
    'node',
  ]
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags, file])
}

async function attempt(name: string, action: () => Promise<void>): Promise<void> {
  try {
    await action()
    console.log(`ok      ${name}`)
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
    console.log(`failed  ${name}\n${message}\n${stdout}${stderr}`)
    process.exitCode = 1
  }
}
