import { expect, vi } from 'vitest'
import { runCommand } from '../command-line/run-command.ts'
import { it } from '../faults/support/it.ts'
import { send } from '../support/service.ts'
import { succeed } from './support/moving.ts'

vi.setConfig({ testTimeout: 300_000 })

const ENCRYPTION_KEY = 'encryption key of the tests'

it('gives new ids to a tenant that was moved twice and wrote nothing in between', async ({
  startPostgres,
  startLastingProcess,
}) => {
  const [first, ...others] = await Promise.all([startPostgres(), startPostgres(), startPostgres()])
  const env = { DATABASE_URL: first.url, ENCRYPTION_KEY }
  const cli = (...args: string[]) => succeed(runCommand(args, env))
  for (const { url } of others) await cli('shards', 'add', url)
  const { tenant_id, api_key: key } = JSON.parse((await cli('tenants', 'create', 'tea shop', '--json')).stdout)
  const server = await startLastingProcess({ ...env, LOG_LEVEL: 'warn' })
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown) =>
    await send(`${server.url}/api/v1${path}`, method, body, { key })
  const create = (barcode: string) => call('POST', '/products', { barcode, name: 'Tea' })
  const before = await Promise.all(['one', 'two', 'three'].map(create))
  const known = (await call('GET', '/events?limit=100')).body.data.events.map(({ id }: { id: string }) => id)

  for (const shard of ['2', '3']) await cli('tenants', 'move', String(tenant_id), '--to', shard)

  const after = await create('four')
  expect(after).toMatchObject({ status: 200 })
  expect(after.body.data.id).toBeGreaterThan(Math.max(...before.map(({ body }) => body.data.id)))
  const events = (await call('GET', '/events?limit=100')).body.data.events.map(({ id }: { id: string }) => id)
  expect(events.slice(0, known.length)).toEqual(known)
  expect(events).toHaveLength(known.length + 1)
})
