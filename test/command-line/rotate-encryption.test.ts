import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { describe, expect, vi } from 'vitest'
import { it as base } from '../support/it.ts'
import { FulfillmentClient } from '@fulfillment/sdk'
import { verifyWebhookSync } from '@fulfillment/sdk/webhooks/node'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { ENCRYPTED_COLUMNS, rotateEncryption } from '@fulfillment/server/runtime/encryption/rotate-encryption.ts'
import { startServerProcess } from '../support/server-process.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import type { Receiver } from '../support/receiver.ts'
import { runCommand } from './run-command.ts'

const OLD = 'the encryption key of before'
const NEW = 'the encryption key from now on'

/** Tests change the encryption keys, so each has its own service. */
const it = base
  .extend('own', async ({ startService }) => await startService({ encryptionKey: OLD }))
  .extend('tenant', async ({ own }) => await own.newTenant())

const rotate = (own: TestService, env: Record<string, string> = {}) =>
  runCommand(['keys', 'rotate-encryption', '--json'], { DATABASE_URL: own.databaseUrl, ...env })

async function subscribe(tenant: TestTenant, receiver: Receiver): Promise<{ id: string; secret: string }> {
  const { body } = await tenant.request('POST', '/webhooks', { name: 'shop', url: receiver.url, events: ['product/created'] })
  return body.data
}

describe('keys rotate-encryption', () => {
  it('covers every encrypted column of the database', async ({ own }) => {
    const { rows } = await sql<{ column: string }>`
      select table_name || '.' || column_name as column from information_schema.columns
      where table_schema = 'public' and column_name like '%ciphertext%' order by 1`.execute(own.db.kysely)
    const known = ENCRYPTED_COLUMNS.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`))
    expect(rows.map(({ column }) => column)).toEqual(known.toSorted())
  })

  it('requires both keys', async ({ own }) => {
    for (const [env, setting] of [
      [{}, 'ENCRYPTION_KEY: set it to the new key'],
      [{ ENCRYPTION_KEY: NEW }, 'ENCRYPTION_KEY_PREVIOUS: set it to the key of before'],
      [{ ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: NEW }, 'ENCRYPTION_KEY_PREVIOUS: is the same as ENCRYPTION_KEY'],
      [{ ENCRYPTION_KEY_PREVIOUS: OLD }, 'ENCRYPTION_KEY_PREVIOUS: set ENCRYPTION_KEY too'],
    ] as const) {
      expect(await rotate(own, env)).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(setting) })
    }
  })

  it('re-encrypts signing secrets and stored responses, so that the old key is no longer needed', async ({
    own,
    tenant,
    receiver,
    startProcess,
  }) => {
    const { id, secret: first } = await subscribe(tenant, receiver)
    const { secret } = (await tenant.request('POST', `/webhooks/${id}/rotate-secret`)).body.data
    const order = { order_tenant_id: 'once', assembly_date: '2030-01-31', order_detail: [{ barcode: 'tea', quantity: 1 }] }
    await tenant.request('POST', '/products', { name: 'Tea', barcode: 'tea' })
    const keyed = { headers: { 'idempotency-key': 'kept' } }
    const response = await tenant.request('POST', '/orders', order, keyed)
    await own.stopServer()

    expect(JSON.parse((await rotate(own, { ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD })).stdout)).toEqual({
      checked: 4,
      renewed: 4,
      unreadable: [],
      unreadable_count: 0,
    })
    expect(JSON.parse((await rotate(own, { ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD })).stdout)).toMatchObject({
      renewed: 0,
    })

    const server = await startProcess({ DATABASE_URL: own.databaseUrl, ENCRYPTION_KEY: NEW })
    const post = (path: string, body: unknown, headers = {}) =>
      fetch(`${server.url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'x-api-key': tenant.key, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const again = await post('/orders', order, keyed.headers)
    expect([again.headers.get('idempotency-replayed'), await again.json()]).toEqual(['true', response.body])
    await post('/products', { name: 'Coffee', barcode: 'coffee' })
    const [delivered] = await receiver.count(1)
    for (const key of [first, secret])
      expect(verifyWebhookSync(delivered!.body, delivered!.headers['x-webhook-signature'], key).event).toBe('product/created')
  })

  it('finds the values of all tenants, though they are read a few hundred at a time', async ({ own, tenant }) => {
    // As text, they sort otherwise than as numbers.
    const ids = [80, 81, 90, 91, 100, 101, 110, 111]
    await own.stopServer()
    await own.db.dedicatedPool.query(
      `insert into tenants (id, name) overriding system value select id, 'shop' from unnest($1::bigint[]) id`,
      [ids],
    )
    await own.db.dedicatedPool.query(
      `insert into idempotency_keys (tenant_id, key, request_hash, answer_ciphertext)
       select tenant_id, 'key-' || n, '', $2 from unnest($1::bigint[]) tenant_id, generate_series(1, 150) n`,
      [[...ids, tenant.id], createEncryption(OLD).encrypt('{}')],
    )
    const { stdout } = await rotate(own, { ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD })
    // And the value by which servers know their key.
    expect(JSON.parse(stdout)).toMatchObject({ checked: 9 * 150 + 1, renewed: 9 * 150 + 1, unreadable: [] })
  })

  it('waits for the end of moves, and looks again if a tenant was moved meanwhile', async ({ own, tenant, receiver }) => {
    await subscribe(tenant, receiver)
    await own.stopServer()
    const move = (state: string) =>
      own.db.dedicatedPool.query(
        `insert into moved_tenants (id, sandbox_id, shard_id, state, other_id, moves, epoch) values ($1::bigint, $1 + 1, 1, $2::text, case when $2 = 'copying' then 2 end, 1, 1)
         on conflict (id) do update set state = excluded.state, other_id = excluded.other_id, moves = moved_tenants.moves + 1`,
        [tenant.id, state],
      )
    const keys = { ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD }
    await move('copying')
    expect(await rotate(own, keys)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`Tenant ${tenant.id} is being moved`),
    })
    await move('settled')

    const held = await own.db.dedicatedPool.connect()
    await held.query('begin; lock webhook_subscriptions in exclusive mode')
    const rotating = rotate(own, keys)
    await vi.waitFor(async () => expect((await held.query('select from pg_locks where not granted')).rowCount).toBe(1), {
      timeout: 30_000,
    })
    await move('settled')
    await held.query('commit')
    held.release()
    expect(JSON.parse((await rotating).stdout)).toMatchObject({ checked: 4, renewed: 2, unreadable_count: 0 })
  })

  it('counts all values that no key can decrypt, and names the first hundred: current signing secrets, former ones, others', async ({
    own,
    tenant,
    receiver,
  }) => {
    const [first, second] = [await subscribe(tenant, receiver), await subscribe(tenant, receiver)]
    await tenant.request('POST', `/webhooks/${second.id}/rotate-secret`)
    await own.stopServer()
    await sql`
      insert into idempotency_keys (tenant_id, key, request_hash, answer_ciphertext)
      select ${tenant.id}, 'key-' || to_char(n, 'FM000'), '', 'no ciphertext'::bytea from generate_series(1, 120) n`.execute(
      own.db.kysely,
    )
    const lost = { DATABASE_URL: own.databaseUrl, ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: 'not the key of before' }
    const { exitCode, stdout } = await runCommand(['keys', 'rotate-encryption', '--json'], lost)
    const { unreadable, unreadable_count } = JSON.parse(stdout)
    expect([exitCode, unreadable_count, unreadable.length]).toEqual([1, 124, 100])
    expect(unreadable.slice(0, 5)).toEqual([
      `webhook_subscriptions ${tenant.id}/${first.id}`,
      `webhook_subscriptions ${tenant.id}/${second.id}`,
      `webhook_subscriptions ${tenant.id}/${second.id} (previous secret)`,
      'encryption_check 1/1',
      `idempotency_keys ${tenant.id}/key-001`,
    ])
    const told = await runCommand(['keys', 'rotate-encryption'], lost)
    expect(told.stdout).toMatch(
      /^Checked 124 values and re-encrypted 0\. Neither key can decrypt 124 values: webhook_.*\/key-096 and 24 more\. Rotate the secrets/,
    )
  })

  it('keeps values that a server with the new key wrote meanwhile, and reports values that neither key can decrypt', async ({
    own,
    tenant,
    receiver,
  }) => {
    await subscribe(tenant, receiver)
    await own.stopServer()
    const { rows } = await own.db.dedicatedPool.query<{ tenant_id: number; id: number }>(
      'select tenant_id, id from webhook_subscriptions',
    )
    const stranger = createEncryption('a key that nobody has kept').encrypt('whsec_lost')
    await own.db.dedicatedPool.query('update webhook_subscriptions set secret_ciphertext = $1', [stranger])
    const run = await rotate(own, { ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD })
    expect([run.exitCode, JSON.parse(run.stdout).unreadable]).toEqual([
      1,
      [`webhook_subscriptions ${rows[0]?.tenant_id}/${rows[0]?.id}`],
    ])

    const old = createEncryption(OLD)
    await own.db.dedicatedPool.query('update webhook_subscriptions set secret_ciphertext = $1', [old.encrypt('whsec_old')])
    const rotating = createEncryption(NEW, OLD)
    // The caller's change commits after the rotation has read the value and before it stores the new one.
    const caller = await own.db.dedicatedPool.connect()
    const renew: typeof rotating.renew = (ciphertext) => {
      changed ??= caller.query('update webhook_subscriptions set secret_ciphertext = $1', [rotating.encrypt('whsec_new')])
      return rotating.renew(ciphertext)
    }
    let changed: Promise<unknown> | undefined
    await caller.query('begin')
    // Held until the change is made. The lock blocks the rotation's write, but not the change, which runs in the same transaction.
    await caller.query('lock webhook_subscriptions in exclusive mode')
    const rotation = rotateEncryption(own.db, { ...rotating, renew })
    await expect.poll(() => changed).toBeDefined()
    await changed
    await caller.query('commit')
    caller.release()
    expect(await rotation).toMatchObject({ renewed: 0 })
    const kept = await own.db.dedicatedPool.query<{ secret: Buffer }>(
      'select secret_ciphertext as secret from webhook_subscriptions',
    )
    expect(createEncryption(NEW).decrypt(kept.rows[0]!.secret)).toBe('whsec_new')
  })
})

describe('a server with another key than the others', () => {
  const start = (own: TestService, env: Record<string, string>) => startServerProcess({ DATABASE_URL: own.databaseUrl, ...env })
  const REFUSED = 'ENCRYPTION_KEY: the secrets in the database are encrypted with another key'

  it('does not start, unless it can decrypt with the key of the others', async ({ own, startProcess }) => {
    await expect(start(own, { ENCRYPTION_KEY: NEW })).rejects.toThrow(REFUSED)
    await expect(start(own, { ENCRYPTION_KEY: NEW, ROLE: 'worker', MONITORING_PORT: '0' })).rejects.toThrow(REFUSED)
    const server = await startProcess({ DATABASE_URL: own.databaseUrl, ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    const added = await runCommand(['shards', 'add', own.databaseUrl], { DATABASE_URL: own.databaseUrl, ENCRYPTION_KEY: NEW })
    expect(added).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(REFUSED) })
  })

  it('is told by the signing secrets in a database of a former version', async ({ own, tenant, receiver, startProcess }) => {
    await subscribe(tenant, receiver)
    await own.stopServer()
    await own.db.dedicatedPool.query('delete from encryption_check')
    await expect(start(own, { ENCRYPTION_KEY: NEW })).rejects.toThrow(REFUSED)
    const server = await startProcess({ DATABASE_URL: own.databaseUrl, ENCRYPTION_KEY: OLD })
    await server.end('SIGTERM')
    await expect(start(own, { ENCRYPTION_KEY: NEW })).rejects.toThrow(REFUSED)
  })

  it('starts after a rotation that accepts the loss of the former key', async ({ own, tenant, receiver, startProcess }) => {
    const { id } = await subscribe(tenant, receiver)
    await own.stopServer()
    const wrong = await rotate(own, { ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: 'not the key of before' })
    expect([wrong.exitCode, JSON.parse(wrong.stdout).unreadable]).toEqual([
      1,
      [`webhook_subscriptions ${tenant.id}/${id}`, 'encryption_check 1/1'],
    ])
    await expect(start(own, { ENCRYPTION_KEY: NEW })).rejects.toThrow(REFUSED)

    const env = { DATABASE_URL: own.databaseUrl, ENCRYPTION_KEY: NEW }
    const accepted = await runCommand(['keys', 'rotate-encryption', '--accept-lost'], env)
    expect([accepted.exitCode, accepted.stdout]).toEqual([
      0,
      `Checked 2 values and re-encrypted 0. The key cannot decrypt 2 values: webhook_subscriptions ${tenant.id}/${id}, encryption_check 1/1. ` +
        'Rotate the secrets of these subscriptions; stored responses expire within a day. ENCRYPTION_KEY is the key of the database now\n',
    ])
    const server = await startProcess(env)
    const path = `${server.url}/api/v1/webhooks/${id}/rotate-secret`
    expect((await fetch(path, { method: 'POST', headers: { 'x-api-key': tenant.key } })).status).toBe(200)
    await expect(start(own, { ENCRYPTION_KEY: OLD })).rejects.toThrow(REFUSED)
  })
})

describe('keys rotate-encryption with a generated key', () => {
  const env = (folder: string): Record<string, string> => ({ DATA_DIR: folder, ENCRYPTION_KEY: '' })
  const keyFile = (folder: string): Promise<string> => readFile(path.join(folder, 'encryption-key'), 'utf8')
  const run = (folder: string) => runCommand(['keys', 'rotate-encryption', '--json'], env(folder))

  it('is needed to start, when the file of the key was lost', async ({ folder, startProcess }) => {
    const server = await startProcess(env(folder))
    await server.end('SIGTERM')
    await rm(path.join(folder, 'encryption-key'))
    await expect(startServerProcess(env(folder))).rejects.toThrow(
      `ENCRYPTION_KEY: is not set, and ${folder} has a database but no file encryption-key`,
    )
    const accepted = await runCommand(['keys', 'rotate-encryption', '--accept-lost'], env(folder))
    expect(accepted).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('has a new encryption key') })
    await startProcess(env(folder))
  })

  it('is refused when its file is cut: everything would be encrypted with what anybody can guess', async ({
    folder,
    startProcess,
  }) => {
    const server = await startProcess(env(folder))
    await server.end('SIGTERM')
    await writeFile(path.join(folder, 'encryption-key'), '')
    const refusal = 'the key in encryption-key is incomplete: restore the file'
    await expect(startServerProcess(env(folder))).rejects.toThrow(refusal)
    expect(await run(folder)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(refusal) })
  })

  it('replaces it while no server runs, and everything can be decrypted with the new one', async ({
    receiver,
    folder,
    startProcess,
  }) => {
    const server = await startProcess(env(folder))
    const [apiKey] = await server.printed(/service_live_\S+/)
    const before = await keyFile(folder)
    const client = new FulfillmentClient({ apiKey, baseUrl: server.url })
    const { secret } = await client.webhooks.create({ name: 'shop', url: receiver.url, events: ['product/deleted'] })
    const product = await client.products.create({ name: 'Tea', barcode: 'tea' })
    expect(await run(folder)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('in use by another process') })
    expect(await keyFile(folder)).toBe(before)
    await server.end('SIGTERM')

    const rotated = await run(folder)
    expect([rotated.exitCode, JSON.parse(rotated.stdout)]).toMatchObject([0, { unreadable: [] }])
    expect(await keyFile(folder)).not.toBe(before)
    expect((await readdir(folder)).filter((name) => name.startsWith('encryption-key'))).toEqual(['encryption-key'])

    const restarted = await startProcess(env(folder))
    await new FulfillmentClient({ apiKey, baseUrl: restarted.url }).products.delete(product.id)
    const delivered = (await receiver.count(1))[0]!
    expect(verifyWebhookSync(delivered.body, delivered.headers['x-webhook-signature'], secret).event).toBe('product/deleted')
  })
})
