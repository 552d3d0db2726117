import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/server-process.ts'
import { startService, type TestService } from '../support/service.ts'

const pathOf = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url))
const read = (file: string): Promise<string> => readFile(pathOf(file), 'utf8')

/** What the instructions copy from the project's folder, and where to. */
function copied(dockerfile: string): { source: string; target: string }[] {
  return [...dockerfile.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)].flatMap(([, sources = '', target = '']) =>
    sources.split(' ').map((source) => ({ source, target })),
  )
}

describe('the container image', () => {
  it('has the Node that the tests ran on', async () => {
    const { devDependencies } = JSON.parse(await read('package.json')) as { devDependencies: Record<string, string> }
    const bases = (await read('Dockerfile')).match(/^FROM node:\S+/gm)
    expect(new Set(bases)).toEqual(new Set([`FROM node:${devDependencies.node}-trixie-slim`]))
  })

  it('is built from folders that are not kept out of it', async () => {
    const kept = (await read('.dockerignore')).split('\n').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
    const sources = copied(await read('Dockerfile')).map(({ source }) => source)
    expect(sources.length).toBeGreaterThan(5)
    expect(sources.filter((source) => !kept.some((entry) => source === entry || source.startsWith(`${entry}/`)))).toEqual([])
  })

  it('holds everything that the programs import', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'image-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    for (const { source, target } of copied((await read('Dockerfile')).split(/^FROM /m).at(-1)!)) {
      const isFolder = (await stat(pathOf(source))).isDirectory()
      await cp(pathOf(source), path.join(folder, target, isFolder ? '' : path.basename(source)), { recursive: true })
    }
    await symlink(pathOf('node_modules'), path.join(folder, 'node_modules'))
    const program = `await import('./server/src/server.ts'); await import('./server/bin/fulfillment.js')`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, 'openapi', '--json'], {
      cwd: folder,
      maxBuffer: 10_000_000,
    })
    expect(JSON.parse(stdout)).toHaveProperty('openapi')
  })
})

describe('compose.yaml', () => {
  it('runs the version that this is', async () => {
    const { version } = JSON.parse(await read('package.json')) as { version: string }
    expect(await read('compose.yaml')).toContain(`image: fulfillment:${version}\n`)
  })

  it('takes from .env what .env.example has', async () => {
    const names = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map((match) => match[1]))].toSorted()
    expect(names(await read('compose.yaml'), /\$\{(\w+)/g)).toEqual(names(await read('.env.example'), /^(\w+)=/gm))
  })
})

describe('the health check of the image', () => {
  let service: TestService
  let port: number
  beforeAll(async () => {
    port = await freePort()
    service = await startService({ monitoringPort: port })
  })
  afterAll(() => service.stop())

  const check = (env: Record<string, string>) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      execFile(process.execPath, [pathOf('server/bin/healthcheck.js')], { env }, (error, output) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: output.trim() }),
      )
    })

  it('succeeds while the server is ready', async () => {
    expect(await check({ MONITORING_PORT: String(port), PORT: '1' })).toEqual({
      code: 0,
      output: `http://127.0.0.1:${port}/readyz: 200`,
    })
  })

  it('fails when it is not, or not there', async () => {
    expect(await check({ PORT: new URL(service.url).port })).toMatchObject({ code: 1, output: expect.stringContaining('404') })
    expect(await check({ PORT: String(await freePort()) })).toMatchObject({
      code: 1,
      output: expect.stringContaining('connect ECONNREFUSED'),
    })
  })
})

it('the alerts ask for metrics that there are', async () => {
  const service = await startService()
  onTestFinished(() => service.stop())
  await fetch(`${service.url}/healthz`)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const named = (await read('deploy/alerts.yaml')).match(/\b(?:fulfillment|nodejs)_\w+/g) ?? []
  expect(named.length).toBeGreaterThan(8)
  // Those of a replica are there when there is one.
  const missing = named.filter(
    (name) => !name.startsWith('fulfillment_replica_') && !new RegExp(`^${name}[ {]`, 'm').test(metrics),
  )
  expect(missing).toEqual([])
})
