import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, inject, vi } from 'vitest'
import { it as base } from '../faults/support/it.ts'
import { runCommand } from '../command-line/run-command.ts'
import { freePort } from '../support/free-port.ts'
import { signalPostgres } from '../faults/support/postgres-processes.ts'
import { atMost } from '../support/patience.ts'
import { until } from '../support/receiver.ts'
import { send, type ServiceResponse } from '../support/service.ts'
import { createDatabase, dropDatabase } from '../support/test-database.ts'
import { databaseAt } from '../upgrade/support/old-database.ts'
import { RELEASED } from '../upgrade/support/released-migrations.ts'
import { PageClient, signedIn } from '../web/support/page-client.ts'

// Its servers and commands are processes of their own, and start in the first tests.
vi.setConfig({ testTimeout: 300_000 })

const KEY = 'encryption key of the tests'
/** A request to a lost shard is refused within this time. */
const RESPONSE_MS = atMost(2_000)
/** A revoked key is refused from then on. */
const REVOKED_MS = 1_000

interface ShardTenant {
  id: number
  key: string
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ServiceResponse>
}

/**
 * A service of three shards: the directory and shard 3 are Postgres servers of their own, which can be stopped, and shard 2 is a database of
 * another. `api` runs since before there were shards; `worker` works for shards 1 and 2 alone. `tenants` has one tenant of each shard.
 */
const it = base
  .extend('directory', { scope: 'file' }, async ({ startPostgres }) => await startPostgres())
  .extend('third', { scope: 'file' }, async ({ startPostgres }) => await startPostgres())
  .extend('second', { scope: 'file' }, async ({}, { onCleanup }) => {
    const url = await createDatabase(inject('postgresUrl'), `shard_${process.pid}`)
    onCleanup(() => dropDatabase(url))
    return url
  })
  .extend('env', { scope: 'file' }, ({ directory }) => ({ DATABASE_URL: directory.url, ENCRYPTION_KEY: KEY }))
  .extend('cli', { scope: 'file' }, ({ env }) => async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await runCommand([...args, '--json'], env)
    expect([exitCode, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  })
  .extend(
    'api',
    { scope: 'file' },
    async ({ startLastingProcess, env }) =>
      await startLastingProcess({ ...env, ROLE: 'api', RATE_LIMIT_PER_MINUTE: '100000', LOG_LEVEL: 'warn' }),
  )
  .extend('tenants', { scope: 'file' }, async ({ api, cli, second, third }) => {
    expect(await cli('shards', 'add', second)).toEqual({ id: 2 })
    expect(await cli('shards', 'add', third.url)).toEqual({ id: 3 })
    const made: ShardTenant[] = []
    for (const shard of [1, 2, 3]) {
      const { tenant_id: id, api_key: key, shard_id } = await cli('tenants', 'create', `of ${shard}`, '--shard', String(shard))
      expect(shard_id).toBe(shard)
      made.push(tenantAt(api.url, id, key))
    }
    return made as [ShardTenant, ShardTenant, ShardTenant]
  })
  .extend('worker', { scope: 'file' }, async ({ startLastingProcess, env, tenants }) => {
    expect(tenants).toHaveLength(3)
    return await startLastingProcess({ ...env, ROLE: 'worker', SHARDS: '1,2', MONITORING_PORT: String(await freePort()) })
  })

function tenantAt(url: string, id: number, key: string): ShardTenant {
  const request: ShardTenant['request'] = (method, path, body, headers) =>
    send(`${url}/api/v1${path}`, method, body, { key, ...(headers === undefined ? {} : { headers }) })
  return { id, key, request }
}

const data = async (call: Promise<ServiceResponse>) => {
  const { status, body } = await call
  expect([status, body.error]).toEqual([200, undefined])
  return body.data
}

/** The time that a call takes, with its status. */
async function timed(call: Promise<ServiceResponse>): Promise<[status: number, isInTime: boolean]> {
  const startedAt = performance.now()
  const { status } = await call
  return [status, performance.now() - startedAt < RESPONSE_MS]
}

async function calledSandboxes(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select count(*)::int as called from tenants t
       where t.sandbox_of is not null and exists (select from usage_hours where tenant_id = t.id)`,
    )
    return rows[0].called
  } finally {
    await client.end()
  }
}

const readList = (tenant: ShardTenant) => tenant.request('GET', '/products')
let products = 0
const write = (tenant: ShardTenant) => tenant.request('POST', '/products', { barcode: `new ${products++}`, name: 'New' })

describe('tenants of three shards', () => {
  it('are listed with their shards; ids of tenants and keys are unique over all', async ({ tenants, cli }) => {
    const listed = (await cli('tenants', 'list')).tenants as { tenant_id: number; name: string; shard_id: number }[]
    expect(listed.map(({ name, shard_id }) => [name, shard_id])).toEqual([
      ['default', 1],
      ['of 1', 1],
      ['of 2', 2],
      ['of 3', 3],
    ])
    expect(listed.slice(1).map(({ tenant_id }) => tenant_id)).toEqual(tenants.map(({ id }) => id))
    expect(tenants.map(({ id }) => Math.floor(id / 1_000_000))).toEqual([0, 2, 3])
    const keys = (await cli('keys', 'list')).api_keys as { id: number }[]
    expect(new Set(keys.map(({ id }) => id)).size).toBe(4)
    const shards = (await cli('shards', 'list')).shards as { id: number; tenants: number; is_reachable: boolean }[]
    expect(shards.map(({ id, tenants: count, is_reachable }) => [id, count, is_reachable])).toEqual([
      [1, 2, true],
      [2, 1, true],
      [3, 1, true],
    ])
    expect(JSON.stringify(shards)).not.toContain('password')
  })

  it('work alike, with webhooks, feed, sandbox and pages, and never see each other', async ({
    tenants,
    api,
    worker,
    startReceiver,
    directory,
  }) => {
    expect(worker.child.exitCode).toBeNull()
    for (const [index, tenant] of tenants.entries()) {
      const receiver = await startReceiver()
      const subscription = { name: 'all', url: receiver.url, events: ['*'] }
      await data(tenant.request('POST', '/webhooks', subscription))
      const product = await data(tenant.request('POST', '/products', { barcode: 'tea', name: 'Tea', sku: 'TEA' }))
      await data(tenant.request('POST', '/stock/adjustment', { sku: 'TEA', location_id: 'A', adjustment_quantity: 5 }))
      const order = { order_tenant_id: 'web-1', assembly_date: '2030-01-31', order_detail: [{ barcode: 'tea', quantity: 2 }] }
      const first = await tenant.request('POST', '/orders', order, { 'idempotency-key': 'one' })
      const repeated = await tenant.request('POST', '/orders', order, { 'idempotency-key': 'one' })
      expect([first.status, repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true'])
      expect(repeated.body).toEqual(first.body)
      expect(Number(first.headers.get('ratelimit-remaining'))).toBeGreaterThan(0)
      const flow = await data(tenant.request('POST', '/flows', { order_tenant_id: 'web-1', operator_email: 'ada@example.com' }))
      await data(tenant.request('POST', `/flows/${flow.id}/picks`, { barcode: 'tea', location_id: 'A', quantity: 2 }))
      await data(tenant.request('POST', `/flows/${flow.id}/complete`))
      expect((await data(tenant.request('GET', '/stock/sku/TEA'))).locations).toMatchObject([{ location_id: 'A', quantity: 3 }])
      expect(await data(tenant.request('GET', '/stock/reconcile'))).toMatchObject({ is_balanced: true })
      const { orders, pagination } = await data(tenant.request('GET', '/orders'))
      expect([orders.length, pagination.total]).toEqual([1, 1])

      const { events } = await data(tenant.request('GET', '/events'))
      expect(events.map(({ event }: { event: string }) => event)).toContain('order/completed')
      // Shard 3 has no worker yet.
      if (index < 2) await until(() => receiver.received.length === events.length, `deliveries of shard ${index + 1}`)
      else expect(receiver.received).toEqual([])

      const { key } = await data(tenant.request('POST', '/api-keys', { name: 'test', preset: 'full_access', mode: 'test' }))
      expect((await data(tenantAt(api.url, 0, key).request('GET', '/products'))).pagination.total).toBe(0)
      await data(write(tenantAt(api.url, 0, key)))
      expect((await data(tenant.request('GET', '/products'))).pagination.total).toBe(1)

      const page = await signedIn(api.url, tenant.key)
      expect((await page.call('GET', '/products')).body.data.pagination.total).toBe(1)
      expect((await page.call('GET', '/products', undefined, { 'x-page-mode': 'test' })).body.data.pagination.total).toBe(1)
      expect((await page.send('GET', '/dashboard/pulse', undefined, { 'x-page-mode': 'live' })).status).toBe(200)
      expect(product.id).toBeGreaterThan(0)
    }
    const { rows } = await directory.query('select distinct tenant_id from products')
    expect(rows.map(({ tenant_id }) => Number(tenant_id) < 1_000_000)).toEqual([true, true])
  })

  it('a browser that signs in to a tenant of another shard leaves its session', async ({ tenants, api }) => {
    const [, second, third] = tenants
    const page = await signedIn(api.url, second.key)
    const before = page.cookie
    await page.signIn({ key: third.key })
    expect((await page.call('GET', '/products')).status).toBe(200)
    const former = new PageClient(api.url)
    former.cookie = before
    expect((await former.call('GET', '/products')).status).toBe(401)
  })

  it('a revoked key is refused within a second by every process', async ({ tenants, cli, env, startProcess }) => {
    const other = await startProcess({ ...env, ROLE: 'api' })
    for (const { id, request } of tenants) {
      const { id: keyId, key } = await data(request('POST', '/api-keys', { name: 'leaked', preset: 'read_only' }))
      const leaked = tenantAt(other.url, id, key)
      await data(readList(leaked))
      expect(await cli('keys', 'revoke', String(keyId))).toMatchObject({ tenant_id: id })
      const until1s = performance.now() + REVOKED_MS
      while ((await readList(leaked)).status === 200) expect(performance.now()).toBeLessThan(until1s)
    }
  })

  it('a link of the command line signs in', async ({ tenants, cli, api }) => {
    const { url } = await cli('dashboard-link', '--tenant', 'of 2')
    const page = new PageClient(api.url)
    const response = await page.signIn({ code: new URL(url).hash.replace(/^#\D*/, '') })
    expect(response.body.data.tenant).toEqual({ id: tenants[1].id, name: 'of 2' })
  })

  it('a worker with SHARDS works for these alone, and warns of ids that no shard has', async ({
    tenants,
    env,
    startProcess,
    startReceiver,
    third,
  }) => {
    const pending = async () => Number((await third.query('select count(*) from event_outbox')).rows[0].count)
    expect(await pending()).toBeGreaterThan(0)
    const receiver = await startReceiver()
    await data(tenants[2].request('POST', '/webhooks', { name: 'late', url: receiver.url, events: ['product/created'] }))
    const monitoring = { MONITORING_PORT: String(await freePort()) }
    const server = await startProcess({ ...env, ROLE: 'worker', SHARDS: '3,8,8,9', ...monitoring })
    await data(write(tenants[2]))
    await receiver.count(1)
    await server.printed(/"level":40.*"SHARDS: no shard has the id 8, 9; there are 1, 2, 3\. /)
  })

  it('new ones go to the shard with the least load, and never to a draining one', async ({
    tenants,
    cli,
    env,
    directory,
    second,
    third,
  }) => {
    expect(tenants).toHaveLength(3)
    // A sandbox that was called counts for the load, once its calls are written.
    for (const url of [directory.url, second, third.url])
      await expect.poll(() => calledSandboxes(url), { timeout: 60_000, interval: 500 }).toBe(1)
    await cli('shards', 'drain', '1')
    const made = [await cli('tenants', 'create', 'next'), await cli('tenants', 'create', 'and next')]
    expect(made.map(({ shard_id }) => shard_id).toSorted()).toEqual([2, 3])
    const refused = await runCommand(['tenants', 'create', 'more', '--shard', '1'], env)
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('shard 1 is draining') })
    await cli('shards', 'drain', '1', '--undo')
    expect(await cli('tenants', 'create', 'home')).toMatchObject({ shard_id: 1 })
  })

  it('the command line refuses what is not a new shard, and to remove one with tenants', async ({ tenants, env, second }) => {
    expect(tenants).toHaveLength(3)
    const failure = async (...args: string[]) => (await runCommand(args, env)).stderr
    expect(await failure('shards', 'add', second)).toContain('is shard 2 already')
    expect(await failure('shards', 'add', env.DATABASE_URL)).toContain('which is shard 1')
    expect(await failure('shards', 'add', 'postgres://127.0.0.1:1/none')).toContain('cannot be reached')
    const withVariable = async (url: string) => (await runCommand(['shards', 'add'], { ...env, SHARD_DATABASE_URL: url })).stderr
    expect(await withVariable(second)).toContain('is shard 2 already')
    expect(await withVariable('')).toContain('SHARD_DATABASE_URL: is not set')
    expect(await withVariable('mysql://secret@host')).toMatch(/SHARD_DATABASE_URL: must be a postgres:\/\/ URL\n$/)
    expect(await failure('shards', 'remove', '2')).toContain('run shards drain 2 first')
    expect(await failure('shards', 'remove', '1')).toContain('cannot be removed')
    expect(await failure('shards', 'drain', '9')).toContain('There is no shard 9')
    await runCommand(['shards', 'drain', '2'], env)
    expect(await failure('shards', 'remove', '2')).toContain('has 3 tenants and sandboxes')
    await runCommand(['shards', 'drain', '2', '--undo'], env)
  })

  it('the command line makes no tables in a database of another program', async ({ env }) => {
    const url = await createDatabase(inject('postgresUrl'), `shard_other_${process.pid}`)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query('create table posts (id int)')
      const { exitCode, stderr } = await runCommand(['shards', 'add', url], env)
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('has tables of another program')])
      const { rows } = await client.query(`select tablename from pg_tables where schemaname = 'public'`)
      expect(rows).toEqual([{ tablename: 'posts' }])
    } finally {
      await client.end()
      await dropDatabase(url)
    }
  })

  it('the command line leaves the database of an older installation as it is', async ({ env }) => {
    const { url, db } = await databaseAt(Object.keys(RELEASED['0.1.0']))
    try {
      await db.dedicatedPool.query(`insert into tenants (name) values ('Acme')`)
      const { exitCode, stderr } = await runCommand(['shards', 'add', url], env)
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('has 1 tenants and sandboxes')])
      const { rows } = await db.dedicatedPool.query('select name from schema_migrations order by name')
      expect(rows.map(({ name }) => name)).toEqual(Object.keys(RELEASED['0.1.0']))
    } finally {
      await db.close()
      await dropDatabase(url)
    }
  })

  it('an empty one can be added while servers run, and removed again', async ({ tenants, api, cli }) => {
    expect(tenants).toHaveLength(3)
    const url = await createDatabase(inject('postgresUrl'), `shard_brief_${process.pid}`)
    try {
      const { id } = await cli('shards', 'add', url)
      const ready = async () => (await send(`${api.url}/readyz`, 'GET', undefined, {})).body.data
      // The server knows it by now, and reaches it when it has the time to connect.
      await expect.poll(ready).toEqual({ status: 'ready', unreachable_shards: [] })
      await cli('shards', 'drain', String(id))
      await cli('shards', 'remove', String(id))
      await until(async () => !(await (await fetch(`${api.url}/metrics`)).text()).includes(`shard="${id}"`), 'the shard to leave')
    } finally {
      await dropDatabase(url)
    }
  })
})

describe('a lost shard', () => {
  it('gives 503 to its own tenants alone, and serves them again when it is back', async ({
    tenants,
    api,
    env,
    third,
    startProcess,
  }) => {
    const [first, second, lost] = tenants
    await third.stop()
    for (const call of [readList, write]) expect(await timed(call(lost))).toEqual([503, true])
    // Later than the cache of keys.
    await delay(1_000)
    const refused = await lost.request('GET', '/orders')
    expect([refused.status, refused.body.error.code]).toEqual([503, 'service_unavailable'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    for (const tenant of [first, second])
      for (const call of [readList, write]) expect(await timed(call(tenant))).toEqual([200, true])
    const ready = await fetch(`${api.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { success: true, data: { status: 'ready', unreachable_shards: [3] } },
    ])
    const up = await metricsOf(api.url)
    for (const [shard, value] of [1, 1, 0].entries())
      expect(up).toMatch(new RegExp(`^fulfillment_database_up\\{shard="${shard + 1}"\\} ${value}$`, 'm'))

    const fresh = await startProcess({ ...env, ROLE: 'api' })
    expect((await readList(tenantAt(fresh.url, lost.id, lost.key))).status).toBe(503)
    expect((await readList(tenantAt(fresh.url, second.id, second.key))).status).toBe(200)

    const migrated = await runCommand(['migrate', '--json'], env)
    expect([migrated.exitCode, JSON.parse(migrated.stdout)]).toEqual([1, { migrations: [], unreachable_shards: [3] }])
    expect((await runCommand(['migrate'], env)).stdout).toBe(
      'The schema is up to date, but not in shard 3: repeat this when it can be reached\n',
    )
    await third.start()
    for (const url of [api.url, fresh.url])
      await until(async () => (await write(tenantAt(url, lost.id, lost.key))).status === 200, 'the shard to be back')
  })

  it('gives 503 within two seconds when it freezes', async ({ tenants, third }) => {
    await data(write(tenants[2]))
    signalPostgres(third.dataDir, 'SIGSTOP')
    try {
      for (const call of [readList, write]) expect(await timed(call(tenants[2]))).toEqual([503, true])
      for (const call of [readList, write]) expect(await timed(call(tenants[1]))).toEqual([200, true])
    } finally {
      signalPostgres(third.dataDir, 'SIGCONT')
    }
    await until(async () => (await write(tenants[2])).status === 200, 'the shard to respond')
  })
})

describe('a lost directory', () => {
  it('takes its own tenants alone; keys of the others are read, and revoked, in their own shards', async ({
    tenants,
    api,
    directory,
  }) => {
    const [first, second] = tenants
    const { id, key } = await data(second.request('POST', '/api-keys', { name: 'leaked', preset: 'read_only' }))
    await directory.stop()
    await delay(1_000)
    expect(await timed(readList(first))).toEqual([503, true])
    expect((await fetch(`${api.url}/readyz`)).status).toBe(503)
    for (const call of [readList, write]) expect(await timed(call(second))).toEqual([200, true])
    // A key that this process has never seen.
    await data(readList(tenantAt(api.url, second.id, key)))
    await data(second.request('DELETE', `/api-keys/${id}`))
    expect((await readList(tenantAt(api.url, second.id, key))).status).toBe(401)
    await directory.start()
    await until(async () => (await write(first)).status === 200, 'the directory to be back')
  })
})

const metricsOf = async (url: string): Promise<string> => await (await fetch(`${url}/metrics`)).text()
