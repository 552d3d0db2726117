import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect } from 'vitest'
import { connectionString } from '@fulfillment/server/database/embedded/application-database.ts'
import { freePort } from '../support/free-port.ts'
import { loadedModules, TELL_MODULES } from '../support/loaded-modules.ts'
import { send } from '../support/service.ts'
import { runServer } from './support/run-server.ts'
import { it } from './support/it.ts'

describe('a server of two processes', () => {
  it('prints the first key once; told to stop, finishes what is under way, and stops the embedded Postgres last', async ({
    folder,
    startGroup,
  }) => {
    const group = await startGroup({ DATA_DIR: folder })
    const keys = [...group.output().matchAll(/Admin API key \(shown only now\)\s+(\S+)/g)].map(([, key]) => key as string)
    expect(keys).toHaveLength(1)
    const postgres = new pg.Client({
      connectionString: connectionString(JSON.parse(readFileSync(path.join(folder, 'postgres.json'), 'utf8'))),
    })
    await postgres.connect()
    // Bulk calls wait for the catalog's lock.
    await postgres.query('select pg_advisory_lock($1::int, 0)', [(await postgres.query('select id from tenants')).rows[0].id])
    const bulk = (n: number) =>
      send(`${group.url}/api/v1/products/bulk`, 'POST', { products: [{ barcode: `b${n}`, name: 'Product' }] }, { key: keys[0] })
    const underWay = [1, 2, 3, 4].map(bulk)
    await delay(500)
    const processes = group.processIds()
    const ended = group.end('SIGTERM')
    await delay(500)
    expect(existsSync(path.join(folder, 'postgres/postmaster.pid'))).toBe(true)
    await postgres.end()
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await ended).toBe(0)
    expect(existsSync(path.join(folder, 'postgres/postmaster.pid'))).toBe(false)
    expect(processes.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
  })

  it('leaves no process behind when the parent is killed', async ({ startGroup }) => {
    const group = await startGroup()
    const processes = group.processIds()
    expect(processes).toHaveLength(2)
    await group.end('SIGKILL')
    await expect.poll(() => processes.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
    await expect(fetch(`${group.url}/readyz`)).rejects.toThrow('fetch failed')
  })

  it('ends with the error of its first process when it cannot start', async ({ service, startGroup }) => {
    const PORT = String(await freePort())
    await startGroup({ PORT })
    const { exitCode, output } = await runServer({ DATABASE_URL: service.databaseUrl, PROCESSES: '2', PORT })
    expect([exitCode, output]).toEqual([
      1,
      expect.stringMatching(/HOST, PORT: cannot listen on 127\.0\.0\.1, port \d+: .*EADDRINUSE/),
    ])
    expect(output.match(/cannot listen/g)).toHaveLength(1)
  })
})

describe('PROCESSES', () => {
  it.each(['0', '65', '-1', '1.5', 'two', 'AUTO'])('refuses %s', async (PROCESSES) => {
    const { exitCode, output } = await runServer({ PROCESSES })
    expect([exitCode, output]).toEqual([1, 'PROCESSES: must be auto, or an integer from 1 to 64\n'])
  })

  it('of 1 loads nothing of it, and of more not the server into the parent', async () => {
    const loadedBy = async (PROCESSES: string): Promise<string[]> => {
      const url = 'postgres://127.0.0.1:1/none'
      const { output } = await runServer({ PROCESSES, DATABASE_URL: url }, { nodeOptions: TELL_MODULES })
      // The child process ends before its parent.
      return loadedModules(output)
    }
    const hasLoaded = (modules: string[], file: string): boolean => modules.some((module) => module.endsWith(file))
    const one = await loadedBy('1')
    expect([hasLoaded(one, 'src/server.ts'), hasLoaded(one, 'process-group.ts')]).toEqual([true, false])
    const parent = await loadedBy('2')
    expect([hasLoaded(parent, 'src/server.ts'), hasLoaded(parent, 'process-group.ts')]).toEqual([false, true])
  })
})
