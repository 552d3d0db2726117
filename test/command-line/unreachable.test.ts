import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startCommand } from './run-command.ts'

const KEY = `service_live_${'x'.repeat(43)}`
/** A long time limit, meant for hangs: on a busy machine a command starts slowly. */
const START_MS = 60_000
const CSV = 'barcode,name\n1,Tea\n'

/** Starts a command and collects its standard error. */
function start(args: string[], env: Record<string, string>) {
  const started = startCommand(args, { FULFILLMENT_API_KEY: KEY, ...env })
  let said = ''
  started.child.stderr?.on('data', (chunk) => (said += String(chunk)))
  // A command that gives up does not read its input.
  started.child.stdin?.on('error', () => {})
  return { ...started, said: () => said }
}

// Tests that wait for ten seconds wait together.
it.concurrent.each([
  ['import', ['import', 'products', '-']],
  ['export', ['export', 'products']],
])('%s says what it waits for, and gives up after ten seconds', async (_what, args) => {
  const url = `http://127.0.0.1:${await freePort()}`
  const { child, ended, said } = start(args, { FULFILLMENT_URL: url })
  child.stdin?.write(CSV)
  await vi.waitFor(
    () => expect(said()).toContain(`Waiting for ${url} to respond. --url or FULFILLMENT_URL names another server`),
    {
      timeout: START_MS,
    },
  )
  const { exitCode, stdout } = await ended
  expect([exitCode, stdout]).toEqual([1, ''])
  expect(said().trim().split('\n')).toEqual([
    expect.stringContaining('Waiting for'),
    expect.stringMatching(
      new RegExp(`^--url: ${url} did not respond within 10 seconds \\(connect ECONNREFUSED .*FULFILLMENT_URL$`),
    ),
  ])
})

it.concurrent('a server that accepts connections but never responds times out as well', async () => {
  const server: Server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const { ended } = start(['export', 'products', '--url', `http://127.0.0.1:${port}`], {})
  const { exitCode, stderr } = await ended
  server.close()
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/did not respond within 10 seconds \(no response\)/)])
})

it.concurrent('https to a server of http is named, at once', async () => {
  const server = createHttpServer((_request, response) => response.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const { exitCode, stderr } = await start(['export', 'products', '--url', `https://127.0.0.1:${port}`], {}).ended
  server.close()
  expect([exitCode, stderr]).toEqual([1, `--url: https://127.0.0.1:${port} does not use TLS. Name it with http://\n`])
})

it.concurrent('Ctrl-C ends the wait', async () => {
  const { child, ended, said } = start(['export', 'products'], { FULFILLMENT_URL: `http://127.0.0.1:${await freePort()}` })
  await vi.waitFor(() => expect(said()).toContain('Waiting for'), { timeout: START_MS })
  child.kill('SIGINT')
  expect((await ended).exitCode).toBe(130)
})

it.concurrent.each([
  [['import', 'products', '/nowhere.csv'], '/nowhere.csv cannot be read: ENOENT'],
  [['import', 'products', '/'], '--format'],
  [['import', 'products'], "missing required argument 'file'"],
  [['export', 'nothing'], "unknown command 'nothing'"],
  [['export', 'products', '--colour', 'red'], "unknown option '--colour'"],
  [['export', 'products', '--json'], '--json: needs --output'],
  [['keys', 'create'], "required option '--tenant <tenant>' not specified"],
  [['keys', 'revoke', 'three', '--tenant'], "option '--tenant <tenant>' argument missing"],
])('%j is refused at once, in a line or two', async (args, message) => {
  const { ended } = start(args, { FULFILLMENT_URL: `http://127.0.0.1:${await freePort()}` })
  const { exitCode, stdout, stderr } = await ended
  expect([exitCode, stdout]).toEqual([1, ''])
  expect(stderr).toContain(message)
  expect(
    stderr
      .trim()
      .split('\n')
      .filter((line) => line !== '').length,
  ).toBeLessThanOrEqual(2)
})
