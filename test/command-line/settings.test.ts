import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { runCommand } from './run-command.ts'

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(path.join(tmpdir(), 'fulfillment-settings-'))
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

it('names the setting by which the database cannot be had', async () => {
  const unreachable = await runCommand(['tenants', 'list'], {
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    ENCRYPTION_KEY: 'k'.repeat(16),
  })
  expect(unreachable).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^DATABASE_URL: .*ECONNREFUSED/) })
  const file = path.join(folder, 'file')
  await writeFile(file, '')
  const unusable = await runCommand(['tenants', 'list'], { DATA_DIR: file })
  expect(unusable).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^DATA_DIR: .*EEXIST/) })
})

it.each([
  'https://b.example/',
  'https://b.example/path',
  'b.example',
  'https://B.example',
  'https://a.example,ftp://b.example',
  'null',
])('refuses the origin %s, which no browser would send', async (CORS_ORIGIN) => {
  const { exitCode, stderr } = await runCommand(['tenants', 'list'], { CORS_ORIGIN })
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^CORS_ORIGIN: must be \* or .*without a path/)])
})

it('takes origins and *', async () => {
  const env = { DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: 'k'.repeat(16) }
  for (const CORS_ORIGIN of ['*', 'https://shop.example, http://localhost:5173']) {
    expect((await runCommand(['tenants', 'list'], { ...env, CORS_ORIGIN })).exitCode).toBe(0)
  }
})

it('says how a time of expiration is written', async () => {
  const env = { DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: 'k'.repeat(16) }
  const args = ['keys', 'create', '--tenant', '1', '--preset', 'read_only', '--expires-at', 'foo']
  const { exitCode, stderr } = await runCommand(args, env)
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^--expires-at: must be a date YYYY-MM-DD, or an ISO 8601 timestamp/),
  ])
})

it('refuses a name that no tenant can have, and keeps one without the white space around it', async () => {
  const env = { DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: 'k'.repeat(16) }
  for (const name of ['', '  ', 'x'.repeat(256)]) {
    const { exitCode, stdout, stderr } = await runCommand(['tenants', 'create', name], env)
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(/must (not be empty|have at most 255 characters)/)])
  }
  const { stdout } = await runCommand(['tenants', 'create', ' Acme ', '--json'], env)
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Acme' })
})
