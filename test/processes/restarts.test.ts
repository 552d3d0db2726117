import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { allowConnections } from '../support/test-database.ts'
import { send } from '../support/service.ts'
import { Callers } from './support/callers.ts'
import { it } from './support/it.ts'

const CALLERS = 6

/** The logged delays before replacements. A process that had served long enough is replaced without delay. */
function waitsIn(output: string): number[] {
  return [...output.matchAll(/"waitMs":([1-9]\d*)/g)].map(([, ms]) => Number(ms))
}

describe('a server of two processes', () => {
  it('replaces both on SIGHUP, and fails no request', async ({ tenant, startGroup }) => {
    const group = await startGroup()
    const before = group.processIds()
    const callers = new Callers(group.url, tenant.key, CALLERS)
    await expect.poll(() => callers.succeeded).toBeGreaterThan(CALLERS * 4)
    group.child.kill('SIGHUP')
    await expect.poll(() => group.output().includes('the server processes are restarted'), { timeout: 100_000 }).toBe(true)
    await delay(200)
    await callers.stop()
    expect(callers.failures).toEqual([])
    const after = group.processIds()
    expect([after.length, after.filter((pid) => before.includes(pid))]).toEqual([2, []])
    // On connections that were opened before the restart.
    expect(callers.succeeded).toBeGreaterThan(CALLERS * 10)
  })

  it('goes on when one is killed, and starts another', async ({ tenant, startGroup }) => {
    const group = await startGroup()
    const before = group.processIds()
    process.kill(before[0] as number, 'SIGKILL')
    await group.printed(/a server process died/)
    const status = async () => (await send(`${group.url}/api/v1/products`, 'GET', undefined, { key: tenant.key })).status
    expect(await status()).toBe(200)
    await expect.poll(() => group.metric('fulfillment_processes')).toEqual([2])
    expect(group.processIds().filter((pid) => before.includes(pid))).toEqual([before[1]])
    expect(await group.metric('fulfillment_processes_replaced_total')).toEqual([1])
  })

  it.skipIf(process.platform !== 'linux')(
    'tries again when the system refuses to make another, and restarts on SIGHUP afterwards',
    async ({ startGroup }) => {
      const group = await startGroup()
      const before = group.processIds()
      const limitFiles = (count: number): void => void execFileSync('prlimit', [`--pid=${group.child.pid}`, `--nofile=${count}:`])
      // Fewer than the parent has open already.
      limitFiles(5)
      process.kill(before[0] as number, 'SIGKILL')
      await group.printed(/"end":"not started"[^]*"end":"not started"/)
      group.child.kill('SIGHUP')
      await group.printed(/the restart ends here/)
      limitFiles(1_024)
      await expect.poll(() => group.metric('fulfillment_processes')).toEqual([2])
      expect(await group.metric('fulfillment_processes_replaced_total')).toEqual([1])
      group.child.kill('SIGHUP')
      await group.printed(/the server processes are restarted/)
      expect(await group.end('SIGTERM')).toBe(0)
    },
  )

  it('ends the replacement of one that died during SIGHUP without a kill, even if it starts last', async ({
    startGroup,
    folder,
  }) => {
    const group = await startGroup({
      STARTS_FOLDER: folder,
      NODE_OPTIONS: `--import=${new URL('support/waiting-start.ts', import.meta.url).href}`,
    })
    const processOf = async (start: number): Promise<number> => {
      const file = path.join(folder, `start-${start}`)
      await expect.poll(() => readFile(file, 'utf8').catch(() => '')).not.toBe('')
      return Number(await readFile(file, 'utf8'))
    }
    const letGo = (start: number): Promise<void> => writeFile(path.join(folder, `go-${start}`), '')
    group.child.kill('SIGHUP')
    await processOf(2)
    process.kill(await processOf(1), 'SIGKILL')
    const replacement = await processOf(3)
    expect(await group.metric('fulfillment_processes')).toEqual([1])
    await letGo(2)
    // From now on, the successor is the one that counts, and the replacement is to hand over.
    await expect.poll(() => group.metric('fulfillment_processes')).toEqual([2])
    await letGo(3)
    await expect.poll(() => group.processIds()).not.toContain(replacement)
    expect(await readFile(path.join(folder, 'end-3'), 'utf8').catch(() => 'killed')).toBe('0')
    await group.printed(/the server processes are restarted/)
    expect(await group.metric('fulfillment_processes')).toEqual([2])
    expect(await group.metric('fulfillment_processes_replaced_total')).toEqual([1])
  })

  it('keeps the old ones when new ones do not start, and tries again ever more rarely', async ({
    service,
    tenant,
    startGroup,
  }) => {
    const group = await startGroup()
    const before = group.processIds()
    const headers = { connection: 'close' }
    const status = async () =>
      (await send(`${group.url}/api/v1/warehouses`, 'GET', undefined, { key: tenant.key, headers })).status
    expect(await Promise.all([1, 2, 3, 4].map(status))).toEqual([200, 200, 200, 200])
    await allowConnections(service.databaseUrl, false)
    try {
      group.child.kill('SIGHUP')
      await group.printed(/the new process does not start/)
      expect(group.processIds()).toEqual(before)
      process.kill(before[1] as number, 'SIGKILL')
      await expect.poll(() => waitsIn(group.output()).slice(0, 3)).toEqual([500, 1_000, 2_000])
      expect(await status()).toBe(200)
      expect(await group.metric('fulfillment_processes_replaced_total')).toEqual([0])
    } finally {
      await allowConnections(service.databaseUrl, true)
    }
    await expect.poll(() => group.metric('fulfillment_processes')).toEqual([2])
    expect(await group.metric('fulfillment_processes_replaced_total')).toEqual([1])
  })
})
