import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTenant } from '../../server/src/tenants/index.ts'
import { startService, type TestService, type TestTenant } from '../support/service.ts'
import { runCommand, type CommandRun } from './run-command.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const run = (...args: string[]): Promise<CommandRun> =>
  runCommand(args, { DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: 'encryption key of the tests' })

async function keysOf(tenant: TestTenant): Promise<{ id: number; revoked_at: string | null; last_used_at: string | null }[]> {
  return (await tenant.request('GET', '/api-keys')).body.data.api_keys
}

/** A tenant that came from another database, with a key that has the same id as one of this database. */
async function movedTenant(keyId: number): Promise<number> {
  const { id } = await createTenant(service.db, 'moved')
  await service.db.pool.query(
    `insert into api_keys (tenant_id, id, name, key_hash, prefix, scopes) overriding system value values ($1, $2, 'ERP', $3, 'service_live_abcd', '{admin}')`,
    [id, keyId, Buffer.from(`key of tenant ${id}`)],
  )
  return id
}

it('revokes a key of the tenant that is named, and asks which when several have one', async () => {
  const tenant = await service.newTenant()
  await tenant.createKey({ name: 'shop' })
  const { id } = (await keysOf(tenant))[0]!
  const moved = await movedTenant(id)

  const ambiguous = await run('keys', 'revoke', String(id))
  expect([ambiguous.exitCode, ambiguous.stdout]).toEqual([1, ''])
  expect(ambiguous.stderr).toContain(`Several tenants have an API key ${id}.`)
  for (const named of [`--tenant ${tenant.id} for "shop" (service_live_`, `--tenant ${moved} for "ERP" (service_live_abcd…)`])
    expect(ambiguous.stderr).toContain(named)

  const revoked = await run('keys', 'revoke', '--tenant', String(moved), String(id), '--json')
  expect(JSON.parse(revoked.stdout)).toEqual({ tenant_id: moved, id, revoked_at: expect.any(String) })
  expect((await keysOf(tenant)).map(({ revoked_at }) => revoked_at)).toEqual([null, null])
})

it('needs no tenant for an id that one key has, and says which tenant lacks one', async () => {
  const [tenant, other] = [await service.newTenant(), await service.newTenant()]
  await tenant.createKey()
  const { id } = (await keysOf(tenant))[0]!
  const wrong = await run('keys', 'revoke', '--tenant', String(other.id), String(id))
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    1,
    `There is no API key ${id} of tenant ${other.id}; keys list shows the ids\n`,
  ])
  expect((await run('keys', 'revoke', String(id))).exitCode).toBe(0)
  expect((await keysOf(tenant)).find((key) => key.id === id)?.revoked_at).toEqual(expect.any(String))
})

it('what commands do to a tenant and its keys is in its audit log', async () => {
  const made = JSON.parse((await run('tenants', 'create', 'Acme', '--json')).stdout) as { tenant_id: number; api_key: string }
  const tenant = String(made.tenant_id)
  const key = JSON.parse(
    (await run('keys', 'create', '--tenant', tenant, '--preset', 'read_only', '--mode', 'test', '--json')).stdout,
  )
  await run('keys', 'revoke', '--tenant', tenant, String(key.id))

  const response = await fetch(`${service.url}/api/v1/audit-log`, { headers: { 'x-api-key': made.api_key } })
  const { data } = (await response.json()) as { data: { entries: Record<string, unknown>[] } }
  const command = { key_id: 0, address: expect.stringMatching(/^.+@.+$/), request_id: expect.any(String), error: null }
  expect(data.entries).toMatchObject([
    { ...command, key_name: 'fulfillment keys revoke', operation: 'apiKeys.revoke', input: { id: key.id } },
    {
      ...command,
      key_name: 'fulfillment keys create',
      operation: 'apiKeys.create',
      input: { preset: 'read_only', mode: 'test' },
    },
    { ...command, key_name: 'fulfillment tenants create', operation: 'tenants.create', input: { name: 'Acme' } },
  ])
  expect(JSON.stringify(data)).not.toContain(made.api_key)
})
