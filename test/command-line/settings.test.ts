import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { it } from '../support/it.ts'
import manifest from '../../server/package.json' with { type: 'json' }
import { runCommand } from './run-command.ts'

it('prints its version', async () => {
  expect(await runCommand(['--version'], {})).toEqual({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' })
})

it('the server takes no arguments', async ({ folder }) => {
  const server = fileURLToPath(new URL('../../server/bin/server.js', import.meta.url))
  const env = { PATH: process.env.PATH, DATA_DIR: path.join(folder, 'data'), PORT: '0' }
  await expect(promisify(execFile)(process.execPath, [server, '--port=4000'], { env, timeout: 60_000 })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: '--port=4000: the server takes no arguments. Settings are environment variables, as in PORT=4000 npm start\n',
  })
  expect(await readdir(folder)).not.toContain('data')
})

it('names the setting that prevents the connection to the database', async ({ folder }) => {
  const unreachable = await runCommand(['tenants', 'list'], {
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    ENCRYPTION_KEY: 'k'.repeat(16),
  })
  expect(unreachable).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^DATABASE_URL: .*ECONNREFUSED/) })
  const file = path.join(folder, 'file')
  await writeFile(file, '')
  const unusable = await runCommand(['migrate'], { DATA_DIR: file })
  expect(unusable).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/DATA_DIR: .*EEXIST/) })
})

// A result of a new, empty database would be of no server: the command lacks the server's settings, or runs in another folder.
it.for([
  ['tenants', 'list'],
  ['keys', 'revoke', '3', '--tenant', '1'],
  ['keys', 'rotate-encryption'],
])('a command makes no database: %j', async (args, { folder }) => {
  const { exitCode, stdout, stderr } = await runCommand(args, { DATA_DIR: folder, ENCRYPTION_KEY: '' })
  const message = `DATA_DIR: there is no database in ${folder}. Start the server first, or set DATABASE_URL or DATA_DIR as for the server\n`
  expect([exitCode, stdout, stderr]).toEqual([1, '', message])
  expect(await readdir(folder)).toEqual([])
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

it('names the setting of the port that is in use', async ({ service }) => {
  const server = fileURLToPath(new URL('../../server/bin/server.js', import.meta.url))
  const { port: MONITORING_PORT } = new URL(service.url)
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: service.databaseUrl,
    ENCRYPTION_KEY: 'encryption key of the tests',
    PORT: '0',
    MONITORING_PORT,
    LOG_LEVEL: 'silent',
  }
  await expect(promisify(execFile)(process.execPath, [server], { env, timeout: 60_000 })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      new RegExp(`^HOST, MONITORING_PORT: cannot listen on 127.0.0.1, port ${MONITORING_PORT}: .*EADDRINUSE`),
    ),
  })
})

it.each([
  ['SHARDS', '0', /^SHARDS: must be comma-separated ids of shards such as 1,3\n$/],
  ['WEBHOOK_DNS_SERVERS', '10.0.0.2:65536', /^WEBHOOK_DNS_SERVERS: must be .*addresses of name servers/],
  ['WEBHOOK_DNS_SERVERS', '[fd00::2]:0', /^WEBHOOK_DNS_SERVERS: must be .*addresses of name servers/],
])('refuses %s=%s', async (name, value, message) => {
  const { exitCode, stderr } = await runCommand(['tenants', 'list'], { [name]: value })
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)])
})

it('takes an empty FULFILLMENT_URL as one that is not set', async () => {
  const { exitCode, stderr } = await runCommand(['export', 'products'], { FULFILLMENT_URL: '', FULFILLMENT_API_KEY: 'x y' })
  expect([exitCode, stderr]).toEqual([1, 'FULFILLMENT_API_KEY: holds white space or other characters that no key has\n'])
})

it('names the option, not the argument of the SDK, when the address of the server is wrong', async () => {
  const { exitCode, stderr } = await runCommand(['export', 'products', '--url', 'localhost:3000'], { FULFILLMENT_API_KEY: 'x' })
  expect([exitCode, stderr]).toEqual([
    1,
    '--url: must be an http(s) address such as https://fulfillment.example.com, not "localhost:3000"\n',
  ])
})

it.each([
  [['backup', ''], '<file>: names no file\n'],
  [['demo', '--no-live', '--data-dir', ''], '--data-dir: names no folder\n'],
])('%s refuses an empty name', async (args, message) => {
  const { exitCode, stdout, stderr } = await runCommand(args, { DATA_DIR: '/dev/null/none' })
  expect([exitCode, stdout, stderr]).toEqual([1, '', message])
})

it('accepts origins and *', async ({ service }) => {
  const env = { DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: 'k'.repeat(16) }
  for (const CORS_ORIGIN of ['*', 'https://shop.example, http://localhost:5173']) {
    expect((await runCommand(['tenants', 'list'], { ...env, CORS_ORIGIN })).exitCode).toBe(0)
  }
})

it('explains the format of an expiration time', async ({ service }) => {
  const env = { DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: 'k'.repeat(16) }
  const args = ['keys', 'create', '--tenant', '1', '--preset', 'read_only', '--expires-at', 'foo']
  const { exitCode, stderr } = await runCommand(args, env)
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^--expires-at: must be a date YYYY-MM-DD, or an ISO 8601 timestamp/),
  ])
})

it('rejects an invalid tenant name, and trims white space', async ({ service }) => {
  const env = { DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: 'k'.repeat(16) }
  for (const name of ['', '  ', 'x'.repeat(256)]) {
    const { exitCode, stdout, stderr } = await runCommand(['tenants', 'create', name], env)
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(/must (not be empty|have at most 255 characters)/)])
  }
  const { stdout } = await runCommand(['tenants', 'create', ' Acme ', '--json'], env)
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Acme' })
})
