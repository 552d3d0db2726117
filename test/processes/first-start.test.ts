import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { it } from '../support/it.ts'
import { runServer } from './support/run-server.ts'

const FIRST_KEY = /Admin API key \(shown only now\)\s+\S+/

describe('the first start', () => {
  it('that fails because a port is taken creates no key, and the next one prints it', async ({ database, startProcess }) => {
    const other = createServer()
    onTestFinished(() => void other.close())
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const { port: taken } = other.address() as AddressInfo
    const settings = { DATABASE_URL: database.url, PORT: String(await freePort()) }
    for (const setting of ['PORT', 'MONITORING_PORT']) {
      const { exitCode, output } = await runServer({ ...settings, [setting]: String(taken) })
      const message = `HOST, ${setting}: cannot listen on 127.0.0.1, port ${taken}`
      expect([exitCode, output]).toEqual([1, expect.stringContaining(message)])
    }
    const server = await startProcess(settings)
    await server.printed(FIRST_KEY)
  })

  it.for(['1', '2', '3'])(
    'of three processes ends when number %s of them does, and replaces none',
    async (FAILING_NUMBER, { database }) => {
      const { exitCode, output } = await runServer(
        { DATABASE_URL: database.url, PORT: String(await freePort()), PROCESSES: '3', FAILING_NUMBER },
        { nodeOptions: [`--import=${new URL('support/failing-start.ts', import.meta.url).href}`] },
      )
      expect([exitCode, output]).toEqual([1, expect.stringContaining('A server process ended while it started: exit code 3')])
      expect(output).not.toContain('died')
    },
  )

  it.for(['1', '2'])(
    'of %s processes, told to stop by Ctrl-C, prints the key and stops the embedded Postgres',
    async (PROCESSES, { folder }) => {
      const postmaster = path.join(folder, 'postgres/postmaster.pid')
      const { exitCode, output } = await runServer(
        { DATA_DIR: folder, PORT: String(await freePort()), PROCESSES },
        {
          meanwhile: async (child) => {
            await expect.poll(() => existsSync(postmaster), { interval: 5 }).toBe(true)
            process.kill(-child.pid!, 'SIGINT')
          },
        },
      )
      expect([exitCode, output]).toEqual([0, expect.stringMatching(FIRST_KEY)])
      expect(output).not.toContain('died')
      expect(existsSync(postmaster)).toBe(false)
    },
  )
})
