import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const SERVER = fileURLToPath(new URL('../../server/bin/server.js', import.meta.url))

/** Prints the files that a process has loaded, and the parts of Node, when it ends. */
const PRINT_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  process.on('exit', () => console.log(JSON.stringify([...loaded, ...process.moduleLoadList])))`)}`

/** What the server loads until it connects to its database. */
function loadedAtStart(): string[] {
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    ENCRYPTION_KEY: 'key of the tests',
  }
  const { stdout } = spawnSync(process.execPath, ['--import', PRINT_LOADED, SERVER], { env, encoding: 'utf8' })
  return JSON.parse(stdout.split('\n').find((line) => line.startsWith('[')) ?? '[]') as string[]
}

it('a start loads nothing that it can do without', () => {
  const loaded = loadedAtStart()
  const packages = new Set(loaded.map((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]))
  expect(packages).toContain('fastify')
  // 257 modules for the first query that is built, and 87 for the first look at metrics: a tenth of a start each. Few servers have agents.
  for (const name of ['kysely', 'prom-client', '@opentelemetry/api', 'undici', '@modelcontextprotocol/server'])
    expect(packages).not.toContain(name)
  // Zod's messages in other languages, and Node's own `fetch`: a tenth each, too.
  expect(loaded.filter((url) => url.includes('/zod/v4/locales/')).map((url) => url.split('/').at(-1))).toEqual(['en.js'])
  expect(loaded).not.toContain('NativeModule internal/deps/undici/undici')
})
