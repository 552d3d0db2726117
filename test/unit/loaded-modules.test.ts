import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { loadedModules, TELL_MODULES } from '../support/loaded-modules.ts'

const SERVER = fileURLToPath(new URL('../../server/bin/server.js', import.meta.url))

/** What the server loads until it connects to its database. */
function loadedAtStart(): string[] {
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    ENCRYPTION_KEY: 'key of the tests',
  }
  return loadedModules(spawnSync(process.execPath, [...TELL_MODULES, SERVER], { env, encoding: 'utf8' }).stdout)
}

it('a start loads nothing that it can do without', () => {
  const loaded = loadedAtStart()
  const packages = new Set(loaded.map((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]))
  expect(packages).toContain('fastify')
  // 87 modules for the first look at metrics. Few servers have agents, traces or webhooks at their start.
  for (const name of ['prom-client', '@opentelemetry/api', 'undici', '@modelcontextprotocol/server', 'trpc-to-openapi'])
    expect(packages).not.toContain(name)
  // Zod's messages in other languages, and Node's own `fetch`, are a tenth of a start each.
  expect(loaded.filter((url) => url.includes('/zod/v4/locales/')).map((url) => url.split('/').at(-1))).toEqual(['en.js'])
  expect(loaded).not.toContain('NativeModule internal/deps/undici/undici')
})

it('a start loads the few files of the build, not its sources', () => {
  const built = loadedAtStart().filter((url) => url.includes('/server/dist/'))
  expect(built.length).toBeGreaterThan(0)
  expect(built.length).toBeLessThan(60)
})
