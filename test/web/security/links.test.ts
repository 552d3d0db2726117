import { createHash } from 'node:crypto'
import { describe, expect, inject } from 'vitest'
import { createSignInCode } from '@fulfillment/server/domain/sessions/index.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { it as base } from '../../support/it.ts'
import { startServerProcess } from '../../support/server-process.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { cloneDatabase } from '../../support/test-database.ts'
import { outcome, PageClient } from '../support/page-client.ts'

const it = base.extend('settings', { scope: 'file' }, { trustProxy: 1 })

const INVALID = [401, 'invalid_code']
const LINK = /^http:\/\/127\.0\.0\.1:(\d+)\/dashboard\/sign-in#code=(\d+-[0-9A-HJKMNP-TV-Z]{26})$/

async function keyOf(tenant: TestTenant): Promise<{ tenantId: number; keyId: number }> {
  return { tenantId: tenant.id, keyId: (await tenant.request('GET', '/api-keys')).body.data.api_keys.at(-1).id }
}

const link = (service: TestService, ...args: string[]) =>
  runCommand(['dashboard-link', ...args], {
    DATABASE_URL: service.databaseUrl,
    ENCRYPTION_KEY: 'encryption key of the tests',
    PORT: '3999',
  })

describe('a code', () => {
  it('signs in once, with the rights of its key', async ({ service, tenant }) => {
    const code = await createSignInCode(service.db, await keyOf(tenant))
    const client = new PageClient(service.url)
    const { status, body } = await client.signIn({ code })
    expect([status, body.data.tenant.id]).toEqual([200, tenant.id])
    expect((await client.call('GET', '/orders')).status).toBe(200)
    expect(outcome(await new PageClient(service.url).signIn({ code }))).toEqual(INVALID)
  })

  it('is won by one of many who use it at once', async ({ service, tenant }) => {
    const code = await createSignInCode(service.db, await keyOf(tenant))
    const all = await Promise.all(Array.from({ length: 8 }, () => new PageClient(service.url).signIn({ code })))
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 401)].toSorted())
    expect((await tenant.request('GET', '/sessions')).body.data.sessions).toHaveLength(1)
  })

  it('is understood as people type it', async ({ service, tenant }) => {
    const [number = '', random = ''] = (await createSignInCode(service.db, await keyOf(tenant))).split('-')
    const typed = ` ${number}-${random.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')} `
    expect((await new PageClient(service.url).signIn({ code: typed })).status).toBe(200)
  })

  it('is not spent by opening the page', async ({ service, tenant }) => {
    const code = await createSignInCode(service.db, await keyOf(tenant))
    const page = new PageClient(service.url, { 'x-page': undefined, 'sec-fetch-site': 'none' })
    for (const path of ['/dashboard/sign-in', `/dashboard/sign-in?code=${code}`]) await page.send('GET', path)
    expect((await new PageClient(service.url).signIn({ code })).status).toBe(200)
  })

  it('has one message for all reasons why it is not valid', async ({ service, tenant }) => {
    const { tenantId, keyId } = await keyOf(tenant)
    const newCode = (ofKey = keyId) => createSignInCode(service.db, { tenantId, keyId: ofKey })
    const [used, old] = [await newCode(), await newCode()]
    await new PageClient(service.url).signIn({ code: used })
    const other = await service.newTenant()
    const { body } = await tenant.request('POST', '/api-keys', { name: 'revoked', preset: 'read_only' })
    const revoked = await newCode(body.data.id)
    await tenant.request('DELETE', `/api-keys/${body.data.id}`)
    await service.db.dedicatedPool.query(
      `update sign_in_codes set expires_at = now() where tenant_id = $1 and used_at is null and key_id = $2`,
      [tenantId, keyId],
    )
    const foreign = (await newCode()).replace(/^\d+/, String(other.id))
    const codes = [
      used,
      old,
      foreign,
      revoked,
      '',
      'x',
      `${tenantId}-`,
      `${tenantId}-${'0'.repeat(26)}`,
      `99999999-${'0'.repeat(26)}`,
    ]
    const messages = new Set<string>()
    for (const code of codes) {
      const response = await new PageClient(service.url, { 'x-forwarded-for': '198.51.100.7' }).signIn({ code })
      expect(outcome(response), code).toEqual(INVALID)
      messages.add(response.body.error.message)
    }
    expect(messages.size).toBe(1)
  })

  it('lives 15 minutes, and of it only the hash is stored', async ({ service, tenant }) => {
    const code = await createSignInCode(service.db, await keyOf(tenant))
    const { rows } = await service.db.dedicatedPool.query(
      `select c::text as row, encode(code_hash, 'hex') as hash, extract(epoch from expires_at - now()) / 60 as minutes from sign_in_codes c where tenant_id = $1`,
      [tenant.id],
    )
    expect(Number(rows[0].minutes)).toBeGreaterThan(14)
    expect(Number(rows[0].minutes)).toBeLessThanOrEqual(15)
    const random = code.split('-')[1] as string
    expect(rows[0].hash).toBe(createHash('sha256').update(random).digest('hex'))
    expect(rows[0].row).not.toContain(random)
  })

  it('is not spent at an address that the allow-list of its key refuses', async ({ service, tenant }) => {
    const keyValue = await tenant.createKey({ ip_whitelist: ['10.0.0.0/8'], name: 'office' })
    const { api_keys } = (await tenant.request('GET', '/api-keys')).body.data
    const { id: keyId } = api_keys.find(({ prefix }: { prefix: string }) => keyValue.startsWith(prefix))
    const code = await createSignInCode(service.db, { tenantId: tenant.id, keyId })
    const signInFrom = (address: string) => new PageClient(service.url, { 'x-forwarded-for': address }).signIn({ code })
    expect(outcome(await signInFrom('11.0.0.1'))).toEqual([403, 'ip_not_allowed'])
    expect((await signInFrom('10.1.2.3')).status).toBe(200)
  })
})

describe('the first start', () => {
  it('prints a link after the key, which works once; the code is in no log line', async ({ folder, onTestFinished }) => {
    const database = await cloneDatabase(inject('postgresUrl'))
    onTestFinished(() => database.drop())
    const server = await startServerProcess({ DATABASE_URL: database.url, DATA_DIR: folder, LOG_LEVEL: 'trace' })
    try {
      const [, url = ''] = await server.printed(
        /Admin API key \(shown only now\) {2}service_live_\S+\n {2}Dashboard \(once, 15 minutes\) +(\S+)\n/,
      )
      const [, port, code = ''] = LINK.exec(url) ?? []
      expect(`http://127.0.0.1:${port}`).toBe(server.url)
      expect((await new PageClient(server.url).signIn({ code })).body.data).toMatchObject({
        tenant: { name: 'default' },
        scopes: ['admin'],
      })
      expect(outcome(await new PageClient(server.url).signIn({ code }))).toEqual(INVALID)
      await server.printed(/sign-in refused/)
      expect(server.output().split(code)).toHaveLength(2)
      const another = await runCommand(['dashboard-link', '--json'], {
        DATABASE_URL: database.url,
        DATA_DIR: folder,
        PORT: port ?? '',
      })
      expect(JSON.parse(another.stdout).url).toMatch(LINK)
    } finally {
      await server.end('SIGTERM')
    }
  })

  it('prints the public address, and no link without pages', async ({ folder, onTestFinished }) => {
    const database = await cloneDatabase(inject('postgresUrl'))
    onTestFinished(() => database.drop())
    const env = { DATABASE_URL: database.url, DATA_DIR: folder, PUBLIC_URL: 'https://stock.example' }
    const server = await startServerProcess(env)
    await server.printed(/Dashboard \(once, 15 minutes\) +https:\/\/stock\.example\/dashboard\/sign-in#code=\d+-\w{26}\n/)
    await server.end('SIGTERM')
    const other = await cloneDatabase(inject('postgresUrl'))
    onTestFinished(() => other.drop())
    const without = await startServerProcess({ ...env, DATABASE_URL: other.url, PAGES: 'false' })
    await without.printed(/Admin API key/)
    await without.end('SIGTERM')
    expect(without.output()).not.toContain('Dashboard')
  })
})

describe('fulfillment dashboard-link', () => {
  it('makes a link for the oldest live admin key without an allow-list', async ({ startService }) => {
    const service = await startService()
    const tenant = await service.newTenant()
    const first = await keyOf(tenant)
    for (const options of [{ ip_whitelist: ['10.0.0.1'] }, { scopes: ['read:orders' as const] }]) await tenant.createKey(options)
    await tenant.request('POST', '/api-keys', { name: 'sandbox admin', scopes: ['admin'], mode: 'test' })
    await tenant.createKey({ name: 'second admin' })
    const made = await link(service, '--tenant', String(tenant.id))
    const [text = '', url = ''] = made.stdout.trim().split('\n')
    expect([made.exitCode, text]).toEqual([
      0,
      `Dashboard of tenant ${tenant.id} with the rights of API key ${first.keyId} "test key" (once, 15 minutes)`,
    ])
    const [, port, code = ''] = LINK.exec(url) ?? []
    expect(port).toBe('3999')
    expect((await new PageClient(service.url).signIn({ code })).body.data.key.id).toBe(first.keyId)
    const [entry] = (await tenant.request('GET', '/audit-log?operation=sessions.createCode')).body.data.entries
    expect(entry).toMatchObject({ key_name: 'fulfillment dashboard-link', input: { key_id: first.keyId } })

    await service.db.dedicatedPool.query('update api_keys set revoked_at = now() where tenant_id = $1 and id = $2', [
      tenant.id,
      first.keyId,
    ])
    const next = JSON.parse((await link(service, '--tenant', String(tenant.id), '--json')).stdout)
    expect(next).toEqual({ tenant_id: tenant.id, key_id: expect.any(Number), url: expect.stringMatching(LINK) })
    expect((await new PageClient(service.url).signIn({ code: next.url.split('=')[1] })).body.data.key.name).toBe('second admin')

    await service.db.dedicatedPool.query(
      `update api_keys set expires_at = now() where tenant_id = $1 and name = 'second admin'`,
      [tenant.id],
    )
    const none = await link(service, '--tenant', String(tenant.id))
    expect([none.exitCode, none.stdout]).toEqual([1, ''])
    expect(none.stderr).toContain(`Tenant ${tenant.id} has no valid live API key with the scope admin and without an allow-list`)
  })

  it('takes the tenant and the key that are named', async ({ service, tenant }) => {
    const other = await service.newTenant()
    const { body } = await tenant.request('POST', '/api-keys', {
      name: 'test key of the page',
      scopes: ['read:orders'],
      mode: 'test',
    })
    const made = JSON.parse((await link(service, '--tenant', String(tenant.id), '--key', String(body.data.id), '--json')).stdout)
    expect(made).toMatchObject({ tenant_id: tenant.id, key_id: body.data.id })
    const { data } = (await new PageClient(service.url).signIn({ code: made.url.split('=')[1] })).body
    expect([data.modes, data.tenant.id]).toEqual([['test'], tenant.id])

    const foreign = await link(service, '--tenant', String(other.id), '--key', String(body.data.id))
    expect([foreign.exitCode, foreign.stderr]).toEqual([
      1,
      expect.stringContaining(`--key: tenant ${other.id} has no valid API key ${body.data.id}`),
    ])
    const unnamed = await link(service)
    expect([unnamed.exitCode, unnamed.stderr]).toEqual([
      1,
      expect.stringContaining('--tenant: there are several tenants; name one'),
    ])
  })
})
