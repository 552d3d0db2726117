import { execFileSync } from 'node:child_process'
import { open, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { send, startService, type Answer, type TestService, type TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'

let service: TestService
let tenant: TestTenant
let product: { id: number }
let folder: string
let pipe: string
let server: ServerProcess
beforeAll(async () => {
  service = await startService()
  tenant = await service.newTenant()
  product = await newProduct(tenant)
  folder = await mkdtemp(path.join(tmpdir(), 'fulfillment-busy-'))
  pipe = path.join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
})
afterEach(() => server.end('SIGTERM'))
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

/** A server that reaches the database by a host name, as most do. */
const start = (): Promise<ServerProcess> =>
  startServerProcess({
    DATABASE_URL: service.databaseUrl.replace('127.0.0.1', 'localhost'),
    NODE_OPTIONS: `--import=${new URL('support/busy-process.mjs', import.meta.url).href}`,
    BLOCKING_PIPE: pipe,
  })

const ask = (method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
  send(`${server.url}/api/v1${url}`, method, body, { key: tenant.key, ...(headers && { headers }) })
const adjustment = { product_id: 0, location_id: 'A', adjustment_quantity: 1 }
/** Over every kind of connection: shared, exclusive, and those for lists. */
const everyPath = (): Promise<Answer>[] => [
  ask('GET', `/products/${product.id}`),
  ask('GET', '/products?search=product'),
  ask('POST', '/stock/adjustment', { ...adjustment, product_id: product.id }),
  ask('POST', '/stock/adjustment', { ...adjustment, product_id: product.id }, { 'idempotency-key': crypto.randomUUID() }),
]
const statuses = async (answers: readonly Promise<Answer>[]): Promise<number[]> => [
  ...new Set((await Promise.all(answers)).map(({ status }) => status)),
]

describe('a process that is busy itself', () => {
  it('does not take the database for lost while its event loop stands still, again and again', async () => {
    server = await start()
    expect(await statuses(everyPath())).toEqual([200])
    server.child.kill('SIGUSR2')
    const answers: Promise<Answer>[] = []
    for (const until = performance.now() + 8_000; performance.now() < until; await delay(250)) answers.push(...everyPath())
    expect(await statuses(answers)).toEqual([200])
    expect(server.output()).not.toContain('does not answer')
  })

  it('waits for its own threads when it makes connections', async () => {
    server = await start()
    expect(await statuses(everyPath())).toEqual([200])
    server.child.kill('SIGHUP')
    await delay(100)
    // More at a time than there are connections.
    const answers = Array.from({ length: 8 }, everyPath).flat()
    await delay(3_000)
    const writer = await open(pipe, 'w')
    expect(await statuses(answers)).toEqual([200])
    await writer.close()
    expect(server.output()).not.toContain('does not answer')
  })
})
