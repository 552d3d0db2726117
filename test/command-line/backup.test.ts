import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { describe, expect, vi } from 'vitest'
import { FulfillmentClient } from '@fulfillment/sdk'
import { verifyWebhookSync } from '@fulfillment/sdk/webhooks/node'
import { Load } from '../faults/support/load.ts'
import { it as base } from '../support/it.ts'
import { startServerProcess } from '../support/server-process.ts'
import { runCommand, startCommand } from './run-command.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const TAR_BLOCK = 512

/** The offset of a byte that belongs to the content of a table, and not to a header of the archive or to the space between two files. */
function insideOfDataFile(tar: Buffer): number {
  for (let at = 0; at < tar.length;) {
    const name = tar.toString('latin1', at, at + 100)
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8)
    const begin = at + TAR_BLOCK
    if (name.startsWith('postgres/base/') && size > 0) return begin + (size >> 1)
    at = begin + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK
  }
  throw new Error('the archive has no table')
}

/** `it` with `live`, a running server on the embedded database in `files/live`, and `good`, a backup of it. */
const it = base
  .extend('files', { scope: 'file' }, async ({}, { onCleanup }) => {
    const files = await temporaryFolder('fulfillment-backup-')
    onCleanup(() => rm(files, { recursive: true, force: true, maxRetries: 10 }))
    return files
  })
  .extend('live', { scope: 'file' }, async ({ files }, { onCleanup }) => {
    const dataDir = path.join(files, 'live')
    const server = await startServerProcess({ DATA_DIR: dataDir, ENCRYPTION_KEY: '' })
    onCleanup(async () => void (await server.end('SIGTERM')))
    const [key] = await server.printed(/service_live_\S+/)
    return { dataDir, url: server.url, key }
  })
  .extend('good', { scope: 'file' }, async ({ files, live }) => {
    const good = path.join(files, 'good.tar.gz')
    expect(await runCommand(['backup', good], { DATA_DIR: live.dataDir })).toMatchObject({ exitCode: 0 })
    return good
  })

async function databaseUrl(dataDir: string): Promise<string> {
  const { password, port } = JSON.parse(await readFile(path.join(dataDir, 'postgres.json'), 'utf8')) as Record<string, string>
  return `postgres://postgres:${password}@127.0.0.1:${port}/fulfillment`
}

/** The permissions of the data folder, followed by those of its files. */
async function modesIn(dataDir: string): Promise<number[]> {
  const entries = await readdir(dataDir, { withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => path.join(dataDir, name))
  return (await Promise.all([dataDir, ...files].map((name) => stat(name)))).map(({ mode }) => mode & 0o777)
}

describe('backup and restore', () => {
  it('preserve all writes acknowledged before the backup, with keys, secrets and the event feed, under load', async ({
    files,
    live,
    receiver,
    startProcess,
  }) => {
    const client = new FulfillmentClient({ apiKey: live.key, baseUrl: live.url })
    const webhook = await client.webhooks.create({ name: 'kept', url: receiver.url, events: ['product/deleted'] })
    const products = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((barcode) => client.products.create({ name: barcode, barcode })),
    )
    for (const { id } of products) await client.stock.setLevel(id, { location_id: 'A', quantity: 1_000 })
    const load = new Load(live.url, live.key, products)
    await vi.waitFor(() => expect(load.acknowledged).toBeGreaterThan(100), { timeout: 60_000 })
    const acknowledged = load.writes.filter(({ outcome }) => outcome === 'acknowledged').map(({ mark }) => mark)
    const lastEvent = (await client.events.list({ limit: 100 })).events.at(-1)?.id

    const file = path.join(files, 'hot.tar.gz')
    const made = await runCommand(['backup', file, '--json'], { DATA_DIR: live.dataDir })
    await load.stop()
    expect([made.exitCode, JSON.parse(made.stdout)]).toMatchObject([
      0,
      { file, encryption_key: 'included', bytes: (await stat(file)).size },
    ])
    expect((await stat(file)).mode & 0o777).toBe(0o600)

    const dataDir = path.join(files, 'restored')
    expect(await runCommand(['restore', file, '--quiet'], { DATA_DIR: dataDir })).toMatchObject({ exitCode: 0, stderr: '' })
    // Proves that Postgres recovered from the label of the backup, not from its latest checkpoint.
    await stat(path.join(dataDir, 'postgres/backup_label.old'))
    const server = await startProcess({ DATA_DIR: dataDir, ENCRYPTION_KEY: '' })
    const env = { FULFILLMENT_URL: server.url, FULFILLMENT_API_KEY: live.key }
    const orders = await runCommand(['export', 'orders', '--columns', 'order_tenant_id'], env)
    const movements = await runCommand(['export', 'movements', '--columns', 'reason'], env)
    const kept = new Set(`${orders.stdout}\n${movements.stdout}`.split('\n'))
    expect(acknowledged.filter((mark) => !kept.has(mark))).toEqual([])

    const restored = new FulfillmentClient({ apiKey: live.key, baseUrl: server.url })
    expect(await restored.stock.reconcile()).toMatchObject({ is_balanced: true, products_checked: 5 })
    await restored.products.delete(products[0]!.id)
    const [delivered] = await receiver.count(1)
    const signature = delivered?.headers['x-webhook-signature']
    expect(verifyWebhookSync(delivered?.body ?? '', signature, webhook.secret).event).toBe('product/deleted')
    const topics: string[] = []
    for await (const { event } of restored.events.list({ after: lastEvent, limit: 100 })) topics.push(event)
    expect(topics).toContain('product/deleted')
  })

  it('leave the server running if the backup is killed', async ({ files, live }) => {
    const { child, ended } = startCommand(['backup', path.join(files, 'killed.tar.gz')], { DATA_DIR: live.dataDir })
    const client = new pg.Client({ connectionString: await databaseUrl(live.dataDir) })
    await client.connect()
    const slots = async () => (await client.query('select slot_name from pg_replication_slots')).rows
    await vi.waitFor(async () => expect(await slots()).toHaveLength(1), { timeout: 60_000, interval: 5 })
    child.kill('SIGKILL')
    await ended
    await vi.waitFor(async () => expect(await slots()).toEqual([]), { timeout: 60_000 })
    await client.end()
    expect((await fetch(`${live.url}/readyz`)).status).toBe(200)
    expect((await readdir(files)).filter((name) => name.startsWith('killed'))).toEqual([expect.stringMatching(/\.partial$/)])
    const again = await runCommand(['backup', path.join(files, 'killed.tar.gz')], { DATA_DIR: live.dataDir })
    expect(again.exitCode).toBe(0)
  })

  it('stop at Ctrl-C and leave no files', async ({ files, live }) => {
    const before = await readdir(files)
    const { child, ended } = startCommand(['backup', path.join(files, 'broken.tar.gz')], { DATA_DIR: live.dataDir })
    await vi.waitFor(async () => expect(await readdir(files)).not.toEqual(before), { timeout: 60_000, interval: 5 })
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ exitCode: 130, stdout: '' })
    expect(await readdir(files)).toEqual(before)
  })

  it('leave a file that appears under the name meanwhile', async ({ files, live }) => {
    const before = await readdir(files)
    const file = path.join(files, 'taken.tar.gz')
    const { ended } = startCommand(['backup', file], { DATA_DIR: live.dataDir })
    await vi.waitFor(async () => expect(await readdir(files)).not.toEqual(before), { timeout: 60_000, interval: 5 })
    await writeFile(file, 'another backup')
    expect(await ended).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('is there already') })
    expect(await readFile(file, 'utf8')).toBe('another backup')
    await rm(file)
    expect(await readdir(files)).toEqual(before)
  })

  it('work without a running server, and stop Postgres afterwards', async ({ files }) => {
    const dataDir = path.join(files, 'alone')
    const file = path.join(files, 'alone.tar.gz')
    const tenant = await runCommand(['tenants', 'create', 'Cold', '--json'], { DATA_DIR: dataDir, ENCRYPTION_KEY: '' })
    expect(await modesIn(dataDir)).toEqual([0o700, 0o600, 0o600, 0o600, 0o600, 0o600])
    // Of an editor.
    await writeFile(path.join(dataDir, 'postgres/pg_hba.conf~'), 'host all all')
    expect(await runCommand(['backup', file], { DATA_DIR: dataDir })).toMatchObject({ exitCode: 0 })
    await expect(stat(path.join(dataDir, 'postgres/postmaster.pid'))).rejects.toThrow('ENOENT')
    const restoredDir = path.join(files, 'alone restored')
    expect(await runCommand(['restore', file], { DATA_DIR: restoredDir })).toMatchObject({ exitCode: 0 })
    await expect(stat(path.join(restoredDir, 'postgres/postmaster.pid'))).rejects.toThrow('ENOENT')
    const list = await runCommand(['tenants', 'list', '--json'], { DATA_DIR: restoredDir })
    expect(JSON.parse(list.stdout).tenants).toMatchObject([{ tenant_id: JSON.parse(tenant.stdout).tenant_id, name: 'Cold' }])
  })
})

describe('rejected', () => {
  it.for([
    ['a backup of another database', ['backup', 'x.tar.gz'], { DATABASE_URL: 'postgres://127.0.0.1/x' }, 'DATABASE_URL: is set'],
    [
      'a restoration to another database',
      ['restore', 'x.tar.gz'],
      { DATABASE_URL: 'postgres://127.0.0.1/x' },
      'DATABASE_URL: is set',
    ],
    ['a folder without a database', ['backup', 'x.tar.gz'], { DATA_DIR: 'none' }, 'DATA_DIR: there is no database'],
    ['a file that is there', ['backup', 'good.tar.gz'], { DATA_DIR: 'live' }, 'is there already'],
    ['a folder that is not empty', ['restore', 'good.tar.gz'], { DATA_DIR: '.' }, 'is not empty ('],
    ['the folder of a running server', ['restore', 'good.tar.gz'], { DATA_DIR: 'live' }, 'is in use by another process'],
    ['a file that is not there', ['restore', 'gone.tar.gz'], { DATA_DIR: 'none' }, 'gone.tar.gz cannot be read'],
  ] as [what: string, command: string[], env: Record<string, string>, message: string][])(
    'is %s',
    async ([, [command = '', file = ''], env, message], { good }) => {
      const files = path.dirname(good)
      const dataDir: Record<string, string> = env.DATA_DIR === undefined ? {} : { DATA_DIR: path.join(files, env.DATA_DIR) }
      const { exitCode, stdout, stderr } = await runCommand([command, path.join(files, file)], { ...env, ...dataDir })
      expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
      expect((await readdir(files)).filter((name) => name.startsWith('none') || name.startsWith('x.'))).toEqual([])
    },
  )

  it('a truncated, modified or foreign file, leaving no files behind', async ({ files, good }) => {
    const whole = gunzipSync(await readFile(good))
    const changed = Buffer.from(whole)
    changed[insideOfDataFile(whole)]! ^= 1
    const broken: [Buffer, string][] = [
      [(await readFile(good)).subarray(0, 1_000_000), 'unexpected end of file'],
      [gzipSync(whole.subarray(0, whole.length >> 1), { level: 1 }), 'cannot be restored: '],
      [gzipSync(changed, { level: 1 }), 'not what was backed up: postgres/'],
      [Buffer.from('no archive'), 'incorrect header check'],
    ]
    const file = path.join(files, 'bad.tar.gz')
    const dataDir = path.join(files, 'bad')
    for (const [bytes, message] of broken) {
      await writeFile(file, bytes)
      const { exitCode, stderr } = await runCommand(['restore', file], { DATA_DIR: dataDir })
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
      expect(await readdir(dataDir)).toEqual(['postgres.lock', 'postgres.users.lock'])
    }
  })

  it('modified settings, and files that would make Postgres execute a command or follow a link', async ({ files, good }) => {
    const unpacked = path.join(files, 'tampered')
    const run = promisify(execFile)
    await run('mkdir', [unpacked])
    await run('tar', ['-xzf', good, '-C', unpacked])
    const ran = path.join(files, 'ran')
    const add = async (name: string, text: string): Promise<void> => {
      await writeFile(path.join(unpacked, name), text)
      const listed = JSON.parse(await readFile(path.join(unpacked, 'manifest.json'), 'utf8')) as {
        files: Record<string, { size: number; sha256: string }>
      }
      listed.files[name] = { size: text.length, sha256: createHash('sha256').update(text).digest('hex') }
      await writeFile(path.join(unpacked, 'manifest.json'), JSON.stringify(listed))
    }
    const pack = async (name: string, renaming = 's,^$,,'): Promise<string> => {
      const file = path.join(files, name)
      await run('tar', [
        `--transform=${renaming}`,
        '-czf',
        file,
        '-C',
        unpacked,
        'backup.json',
        'postgres.json',
        'encryption-key',
        'postgres',
        'manifest.json',
      ])
      return file
    }
    await add('postgres/postgresql.auto.conf', `archive_mode = 'always'\narchive_command = 'touch "${ran}"'\n`)
    await add('postgres/pg_hba.conf', 'host all all 0.0.0.0/0 trust\n')
    const dataDir = path.join(files, 'tampered restored')
    const restored = await runCommand(['restore', await pack('settings.tar.gz')], { DATA_DIR: dataDir })
    expect(restored).toMatchObject({ exitCode: 0 })
    await expect(stat(ran)).rejects.toThrow('ENOENT')
    expect(await readFile(path.join(dataDir, 'postgres/postgresql.auto.conf'), 'utf8')).toBe('')
    expect(await readFile(path.join(dataDir, 'postgres/pg_hba.conf'), 'utf8')).not.toContain('trust')

    await add('postgres/recovery.signal', '')
    for (const name of [
      'postgres/recovery.signal',
      'postgres/./recovery.signal',
      'postgres/base/../recovery.signal',
      'postgres/Recovery.Signal',
    ]) {
      const archive = await pack('signal.tar.gz', `s,^postgres/recovery.signal$,${name},`)
      const refused = await runCommand(['restore', archive], { DATA_DIR: path.join(files, 'signal') })
      expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(`unexpected entry "${name}"`)])
    }
  })

  it('a backup with another key than that of the database, which it would not contain', async ({ files, live }) => {
    const file = path.join(files, 'other key.tar.gz')
    const stray = { DATA_DIR: live.dataDir, ENCRYPTION_KEY: 'the key of another project' }
    const { exitCode, stderr } = await runCommand(['backup', file], stray)
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('ENCRYPTION_KEY: the secrets in the database are encrypted with another key'),
    ])
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })

  it('a command without the ENCRYPTION_KEY of the servers, which would make another key', async ({ folder, startProcess }) => {
    const server = await startProcess({ DATA_DIR: folder })
    const { exitCode, stderr } = await runCommand(['tenants', 'list'], { DATA_DIR: folder })
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^ENCRYPTION_KEY: is not set, and .* no file encryption-key/)])
    await expect(stat(path.join(folder, 'encryption-key'))).rejects.toThrow('ENOENT')
    expect(await server.end('SIGTERM')).toBe(0)
  })

  it.for([
    ['of another major version of Postgres', { postgres: '17' }, 'of Postgres 17, and this is Postgres 18'],
    ['of a newer format', { format: 2, version: '9.0.0' }, 'it was made by version 9.0.0 of the service in a format that this '],
  ] as [what: string, changed: object, message: string][])('a backup %s', async ([what, changed, message], { files, good }) => {
    const unpacked = path.join(files, `unpacked ${what}`)
    const run = promisify(execFile)
    await run('mkdir', [unpacked])
    await run('tar', ['-xzf', good, '-C', unpacked])
    const about = JSON.parse(await readFile(path.join(unpacked, 'backup.json'), 'utf8')) as object
    await writeFile(path.join(unpacked, 'backup.json'), JSON.stringify({ ...about, ...changed }))
    const file = path.join(files, 'old.tar.gz')
    await run('tar', ['-czf', file, '-C', unpacked, 'backup.json', 'manifest.json'])
    const { exitCode, stderr } = await runCommand(['restore', file], { DATA_DIR: path.join(files, 'old') })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
  })
})
