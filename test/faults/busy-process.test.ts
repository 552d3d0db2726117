import { execFileSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import type { ServerProcess } from '../support/server-process.ts'
import { send, type ServiceResponse } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { it as base } from './support/it.ts'

interface BusyServer {
  process: ServerProcess
  /** The named pipe that occupies its I/O threads. */
  pipe: string
  /** Sends requests over every kind of connection: shared, exclusive, and those for lists. */
  everyPath(): Promise<ServiceResponse>[]
}

/** `it` with a server that signals make busy. It connects to the database by host name, as most servers do. */
const it = base.extend('busy', async ({ service, tenant, folder, startProcess }): Promise<BusyServer> => {
  const pipe = path.join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const process = await startProcess({
    DATABASE_URL: service.databaseUrl.replace('127.0.0.1', 'localhost'),
    NODE_OPTIONS: `--import=${new URL('support/busy-process.mjs', import.meta.url).href}`,
    BLOCKING_PIPE: pipe,
  })
  const { id } = await newProduct(tenant)
  const adjustment = { product_id: id, location_id: 'A', adjustment_quantity: 1 }
  const ask = (method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<ServiceResponse> =>
    send(`${process.url}/api/v1${url}`, method, body, { key: tenant.key, headers })
  return {
    process,
    pipe,
    everyPath: () => [
      ask('GET', `/products/${id}`),
      ask('GET', '/products?search=product'),
      ask('POST', '/stock/adjustment', adjustment),
      ask('POST', '/stock/adjustment', adjustment, { 'idempotency-key': crypto.randomUUID() }),
    ],
  }
})

const statuses = async (responses: readonly Promise<ServiceResponse>[]): Promise<number[]> => [
  ...new Set((await Promise.all(responses)).map(({ status }) => status)),
]

describe('a process with a blocked event loop', () => {
  it('does not treat the database as lost while its event loop is blocked repeatedly', async ({
    busy: { process, everyPath },
  }) => {
    expect(await statuses(everyPath())).toEqual([200])
    process.child.kill('SIGUSR2')
    const responses: Promise<ServiceResponse>[] = []
    for (const until = performance.now() + 8_000; performance.now() < until; await delay(250)) responses.push(...everyPath())
    expect(await statuses(responses)).toEqual([200])
    expect(process.output()).not.toContain('does not respond')
  })

  it('allows for its own busy I/O threads when it opens connections', async ({ busy: { process, pipe, everyPath } }) => {
    expect(await statuses(everyPath())).toEqual([200])
    process.child.kill('SIGHUP')
    await delay(100)
    // More concurrent requests than connections.
    const responses = Array.from({ length: 8 }, everyPath).flat()
    await delay(3_000)
    const writer = await open(pipe, 'w')
    expect(await statuses(responses)).toEqual([200])
    await writer.close()
    expect(process.output()).not.toContain('does not respond')
  })
})
