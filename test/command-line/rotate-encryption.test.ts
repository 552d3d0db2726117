import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FulfillmentClient } from '../../sdk/src/index.ts'
import { verifyWebhookSync } from '../../sdk/src/webhooks/node.ts'
import { createEncryption } from '../../server/src/encryption.ts'
import { ENCRYPTED_COLUMNS, rotateEncryption } from '../../server/src/rotate-encryption.ts'
import { startServerProcess } from '../support/server-process.ts'
import { startService, type TestService, type TestTenant } from '../support/service.ts'
import { startReceiver, type Receiver } from '../webhooks/support/receiver.ts'
import { runCommand } from './run-command.ts'

const OLD = 'the encryption key of before'
const NEW = 'the encryption key from now on'

let service: TestService
let tenant: TestTenant
let receiver: Receiver
beforeAll(async () => {
  service = await startService({ encryptionKey: OLD })
  tenant = await service.newTenant()
  receiver = await startReceiver()
})
afterAll(async () => {
  await service.stop()
  await receiver.close()
})

const rotate = (env: Record<string, string> = {}) =>
  runCommand(['keys', 'rotate-encryption', '--json'], { DATABASE_URL: service.databaseUrl, ...env })

async function subscribe(): Promise<{ id: string; secret: string }> {
  const { body } = await tenant.request('POST', '/webhooks', { name: 'shop', url: receiver.url, events: ['product/created'] })
  return body.data
}

describe('keys rotate-encryption', () => {
  it('knows every column of the database that holds something encrypted', async () => {
    const { rows } = await sql<{ column: string }>`
      select table_name || '.' || column_name as column from information_schema.columns
      where table_schema = 'public' and column_name like '%ciphertext%' order by 1`.execute(service.db.kysely)
    const known = ENCRYPTED_COLUMNS.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`))
    expect(rows.map(({ column }) => column)).toEqual(known.toSorted())
  })

  it('needs both keys', async () => {
    for (const [env, setting] of [
      [{}, 'ENCRYPTION_KEY: set it to the new key'],
      [{ ENCRYPTION_KEY: NEW }, 'ENCRYPTION_KEY_PREVIOUS: set it to the key of before'],
      [{ ENCRYPTION_KEY_PREVIOUS: OLD }, 'ENCRYPTION_KEY_PREVIOUS: set ENCRYPTION_KEY too'],
    ] as const) {
      expect(await rotate(env)).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(setting) })
    }
  })

  it('encrypts signing secrets and kept answers anew, so that the key of before is needed no more', async () => {
    const { id, secret: first } = await subscribe()
    const { secret } = (await tenant.request('POST', `/webhooks/${id}/rotate-secret`)).body.data
    const order = { order_tenant_id: 'once', assembly_date: '2030-01-31', order_detail: [{ barcode: 'tea', quantity: 1 }] }
    await tenant.request('POST', '/products', { name: 'Tea', barcode: 'tea' })
    const keyed = { headers: { 'idempotency-key': 'kept' } }
    const answer = await tenant.request('POST', '/orders', order, keyed)
    await service.stopServer()

    expect(JSON.parse((await rotate({ ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD })).stdout)).toEqual({
      checked: 3,
      renewed: 3,
      unreadable: [],
    })
    expect(JSON.parse((await rotate({ ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD })).stdout)).toMatchObject({ renewed: 0 })

    const server = await startServerProcess({ DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: NEW })
    try {
      const post = (path: string, body: unknown, headers = {}) =>
        fetch(`${server.url}/api/v1${path}`, {
          method: 'POST',
          headers: { 'x-api-key': tenant.key, 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        })
      const again = await post('/orders', order, keyed.headers)
      expect([again.headers.get('idempotency-replayed'), await again.json()]).toEqual(['true', answer.body])
      await post('/products', { name: 'Coffee', barcode: 'coffee' })
      const [delivered] = await receiver.count(1)
      for (const key of [first, secret])
        expect(verifyWebhookSync(delivered!.body, delivered!.headers['x-webhook-signature'], key).event).toBe('product/created')
    } finally {
      await server.end('SIGTERM')
    }
  })

  it('keeps what a server of the new key has written meanwhile, and names what neither key can read', async () => {
    const { rows } = await service.db.pool.query<{ tenant_id: number; id: number }>(
      'select tenant_id, id from webhook_subscriptions',
    )
    const stranger = createEncryption('a key that nobody has kept').encrypt('whsec_lost')
    await service.db.pool.query('update webhook_subscriptions set secret_ciphertext = $1', [stranger])
    const run = await rotate({ ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD })
    expect([run.exitCode, JSON.parse(run.stdout).unreadable]).toEqual([
      1,
      [`webhook_subscriptions ${rows[0]?.tenant_id}/${rows[0]?.id}`],
    ])

    const old = createEncryption(OLD)
    await service.db.pool.query('update webhook_subscriptions set secret_ciphertext = $1', [old.encrypt('whsec_old')])
    const rotating = createEncryption(NEW, OLD)
    // The caller's change is committed after the value was read, and before it is stored.
    const caller = await service.db.pool.connect()
    const renew: typeof rotating.renew = (ciphertext) => {
      changed ??= caller.query('update webhook_subscriptions set secret_ciphertext = $1', [rotating.encrypt('whsec_new')])
      return rotating.renew(ciphertext)
    }
    let changed: Promise<unknown> | undefined
    await caller.query('begin')
    // Held until the change is made: the storing waits here, and the change does not.
    await caller.query('lock webhook_subscriptions in exclusive mode')
    const rotation = rotateEncryption(service.db, { ...rotating, renew })
    await expect.poll(() => changed).toBeDefined()
    await changed
    await caller.query('commit')
    caller.release()
    expect(await rotation).toMatchObject({ renewed: 0 })
    const kept = await service.db.pool.query<{ secret: Buffer }>('select secret_ciphertext as secret from webhook_subscriptions')
    expect(createEncryption(NEW).decrypt(kept.rows[0]!.secret)).toBe('whsec_new')
  })
})

describe('of a generated key', () => {
  let dataDir: string
  beforeAll(async () => void (dataDir = await mkdtemp(path.join(tmpdir(), 'fulfillment-rotation-'))))
  afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }))

  const env = (): Record<string, string> => ({ DATA_DIR: dataDir, ENCRYPTION_KEY: '' })
  const keyFile = (): Promise<string> => readFile(path.join(dataDir, 'encryption-key'), 'utf8')
  const run = () => runCommand(['keys', 'rotate-encryption', '--json'], env())

  it('replaces it while no server runs, and everything can be read with the new one', async () => {
    let server = await startServerProcess(env())
    const apiKey = /service_live_\S+/.exec(server.output())?.[0] ?? ''
    const before = await keyFile()
    const client = new FulfillmentClient({ apiKey, baseUrl: server.url })
    const { secret } = await client.webhooks.create({ name: 'shop', url: receiver.url, events: ['product/deleted'] })
    const product = await client.products.create({ name: 'Tea', barcode: 'tea' })
    expect(await run()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('in use by another process') })
    expect(await keyFile()).toBe(before)
    await server.end('SIGTERM')

    const rotated = await run()
    expect([rotated.exitCode, JSON.parse(rotated.stdout)]).toMatchObject([0, { unreadable: [] }])
    expect(await keyFile()).not.toBe(before)
    expect((await readdir(dataDir)).filter((name) => name.startsWith('encryption-key'))).toEqual(['encryption-key'])

    server = await startServerProcess(env())
    try {
      await new FulfillmentClient({ apiKey, baseUrl: server.url }).products.delete(product.id)
      const delivered = (await receiver.count(2)).at(-1)!
      expect(verifyWebhookSync(delivered.body, delivered.headers['x-webhook-signature'], secret).event).toBe('product/deleted')
    } finally {
      await server.end('SIGTERM')
    }
  })
})
