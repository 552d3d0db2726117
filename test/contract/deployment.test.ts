import { execFile } from 'node:child_process'
import { cp, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { it } from '../support/it.ts'
import { freePort } from '../support/free-port.ts'

const pathOf = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url))
const read = (file: string): Promise<string> => readFile(pathOf(file), 'utf8')

/** The files that the instructions copy from the project's folder, and their targets. */
function copied(dockerfile: string): { source: string; target: string }[] {
  return [...dockerfile.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)].flatMap(([, sources = '', target = '']) =>
    sources.split(' ').map((source) => ({ source, target })),
  )
}

/** The instructions of a stage by its position; -1 is the image. */
const stageOf = (dockerfile: string, position: number): string => dockerfile.split(/^FROM /m).at(position)!

/** Copies into the folder what the instructions copy, and links this checkout's packages. */
async function copyTo(folder: string, instructions: string): Promise<void> {
  const filter = (file: string): boolean => !/\/(?:node_modules|dist|\.turbo)$/.test(file)
  for (const { source, target } of copied(instructions)) {
    const isFolder = (await stat(pathOf(source))).isDirectory()
    await cp(pathOf(source), path.join(folder, target, isFolder ? '' : path.basename(source)), { recursive: true, filter })
  }
  await symlink(pathOf('node_modules'), path.join(folder, 'node_modules'))
}

describe('the container image', () => {
  it('has the Node version of the tests', async () => {
    const { devDependencies } = JSON.parse(await read('package.json')) as { devDependencies: Record<string, string> }
    const bases = (await read('Dockerfile')).match(/^FROM node:\S+/gm)
    expect(new Set(bases)).toEqual(new Set([`FROM node:${devDependencies.node}-trixie-slim`]))
  })

  it('copies only paths that .dockerignore allows', async () => {
    const kept = (await read('.dockerignore')).split('\n').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
    const sources = copied(await read('Dockerfile')).map(({ source }) => source)
    expect(sources.length).toBeGreaterThan(5)
    expect(sources.filter((source) => !kept.some((entry) => source === entry || source.startsWith(`${entry}/`)))).toEqual([])
  })

  it('contains all imported packages', async ({ folder }) => {
    await copyTo(folder, stageOf(await read('Dockerfile'), -1))
    const program = `await import('./server/src/server.ts'); await import('./server/bin/fulfillment.js')`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, 'openapi', '--json'], {
      cwd: folder,
      maxBuffer: 10_000_000,
    })
    expect(JSON.parse(stdout)).toHaveProperty('openapi')
  })

  it('builds the program from what it copies, contains it, and runs it as long as its sources are the same', async ({
    folder,
  }) => {
    const dockerfile = await read('Dockerfile')
    const program = dockerfile.split(/^FROM /m).find((stage) => stage.startsWith('manifests AS program'))!
    await copyTo(folder, stageOf(dockerfile, 1) + program)
    const command = /^RUN node (.+)$/m.exec(program)?.[1] ?? ''
    await promisify(execFile)(process.execPath, [command], { cwd: folder })
    const image = stageOf(dockerfile, -1)
    expect(image).toContain('COPY --from=program /app/server/dist server/dist\n')
    const printed = async (): Promise<string> =>
      (await promisify(execFile)(process.execPath, ['server/bin/fulfillment.js', '--help'], { cwd: folder })).stdout
    expect(await printed()).toContain('Manage the fulfillment service')
    await writeFile(path.join(folder, 'server/dist/cli.js'), `console.log('the build')`)
    expect(await printed()).toBe('the build\n')
    // A source has changed since.
    await utimes(path.join(folder, 'server/src/main.ts'), new Date(), new Date(0))
    expect(await printed()).toContain('Manage the fulfillment service')
    expect(copied(image).map(({ source }) => source)).toEqual(expect.arrayContaining(copied(program).map(({ source }) => source)))
  })

  it('builds the pages from what it copies, and contains them', async ({ folder }) => {
    const dockerfile = await read('Dockerfile')
    const pages = dockerfile.split(/^FROM /m).find((stage) => stage.startsWith('manifests AS pages'))!
    await copyTo(folder, stageOf(dockerfile, 1) + pages)
    const command = /^RUN node (.+)$/m.exec(pages)?.[1] ?? ''
    await promisify(execFile)(process.execPath, [command], { cwd: folder })
    expect(await readdir(path.join(folder, 'web/dist/dashboard'))).toContain('index.html')
    expect(stageOf(dockerfile, -1)).toContain('COPY --from=pages /app/web/dist web/dist\n')
  })
})

describe('compose.yaml', () => {
  it('runs the current version', async () => {
    const { version } = JSON.parse(await read('package.json')) as { version: string }
    expect(await read('compose.yaml')).toContain(`image: fulfillment:${version}\n`)
  })

  it('reads exactly the settings of .env.example', async () => {
    const names = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map((match) => match[1]))].toSorted()
    expect(names(await read('compose.yaml'), /\$\{(\w+)/g)).toEqual(names(await read('.env.example'), /^(\w+)=/gm))
  })
})

describe('the health check of the image', () => {
  const check = (env: Record<string, string>) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      execFile(process.execPath, [pathOf('server/bin/healthcheck.js')], { env }, (error, output) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: output.trim() }),
      )
    })

  it('succeeds while the server is ready', async ({ startService }) => {
    const port = await freePort()
    await startService({ monitoringPort: port })
    expect(await check({ MONITORING_PORT: String(port), PORT: '1' })).toEqual({
      code: 0,
      output: `http://127.0.0.1:${port}/readyz: 200`,
    })
  })

  it('fails if the server is not ready or not running', async ({ startService }) => {
    const service = await startService({ monitoringPort: await freePort() })
    expect(await check({ PORT: new URL(service.url).port })).toMatchObject({ code: 1, output: expect.stringContaining('404') })
    expect(await check({ PORT: String(await freePort()) })).toMatchObject({
      code: 1,
      output: expect.stringContaining('connect ECONNREFUSED'),
    })
  })
})

it('the alerts use existing metrics', async ({ service }) => {
  await fetch(`${service.url}/healthz`)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const named = (await read('deploy/alerts.yaml')).match(/\b(?:fulfillment|nodejs)_\w+/g) ?? []
  expect(named.length).toBeGreaterThan(8)
  // The metrics of a replica exist only with a replica.
  const missing = named.filter(
    (name) => !name.startsWith('fulfillment_replica_') && !new RegExp(`^${name}[ {]`, 'm').test(metrics),
  )
  expect(missing).toEqual([])
})
