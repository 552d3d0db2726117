// Imported before all modules that look up topics.
import { WITH_NOTES } from './support/notes-slice.ts'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { buildApp } from '@fulfillment/server/app.ts'
import { readConfig } from '@fulfillment/server/config.ts'
import { HostNameResolver } from '@fulfillment/server/delivery/index.ts'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { Shards } from '@fulfillment/server/shards/shards.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'
import { createLog } from '@fulfillment/server/runtime/log.ts'
import { createMetrics } from '@fulfillment/server/monitoring/metrics.ts'
import { connectAgent } from '../support/agent.ts'
import { it as base } from '../support/it.ts'
import { send, type RequestOptions, type ServiceResponse } from '../support/service.ts'

type Api = (method: string, path: string, body?: unknown, options?: RequestOptions) => Promise<ServiceResponse>

/** `it` with an app that has the slice, on the database of `service`, and `api` for calls of it. */
const it = base
  .extend('origin', { scope: 'file' }, async ({ service }, { onCleanup }) => {
    await sql`create table notes (tenant_id bigint, id bigint, text text not null, primary key (tenant_id, id),
      constraint notes_text_key unique (tenant_id, text))`.execute(service.db.kysely)
    const app = await buildApp({
      slices: WITH_NOTES,
      config: readConfig({ RATE_LIMIT_PER_MINUTE: '0' }),
      shards: new Shards(service.db),
      encryption: createEncryption('encryption key of the tests'),
      webhookTargets: { allowPrivateNetwork: true, requireHttps: false, names: new HostNameResolver() },
      log: createLog('silent'),
      metrics: createMetrics(new Shards(service.db), WITH_NOTES),
    })
    onCleanup(() => app.close())
    return await app.listen({ port: 0, host: '127.0.0.1' })
  })
  .extend(
    'api',
    async ({ origin, tenant }): Promise<Api> =>
      (method, path, body, options = tenant) =>
        send(`${origin}/api/v1${path}`, method, body, options),
  )

it('a new slice is in the document: its section, its endpoint, its errors and its events', () => {
  const document = openApiDocument(WITH_NOTES) as never as {
    tags: { name: string }[]
    paths: Record<string, { post: { operationId: string; tags: string[]; responses: Record<string, unknown> } }>
    webhooks: Record<string, unknown>
  }
  expect(document.tags.at(-1)).toEqual({ name: 'notes', description: 'Notes.' })
  expect(document.paths['/notes']?.post).toMatchObject({ operationId: 'notes.create', tags: ['notes'] })
  expect(Object.keys(document.paths['/notes']?.post.responses ?? {})).toContain('409')
  expect(document.webhooks).toHaveProperty('note/created')
})

it('calls are validated, executed once per Idempotency-Key, and constraint violations are translated', async ({
  tenant,
  api,
}) => {
  expect((await api('POST', '/notes', { text: 'Fragile' }, {})).status).toBe(401)
  expect((await api('POST', '/notes', {})).body).toMatchObject({
    error: { code: 'validation_error', message: 'text: is required' },
  })
  const reader = await tenant.createKey({ scopes: ['read:orders'] })
  expect((await api('POST', '/notes', { text: 'x' }, { key: reader })).status).toBe(403)
  const once = { key: tenant.key, headers: { 'idempotency-key': 'one note' } }
  const first = await api('POST', '/notes', { text: 'Fragile' }, once)
  expect(first.body).toEqual({ success: true, data: { id: 1 } })
  const again = await api('POST', '/notes', { text: 'Fragile' }, once)
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true'])
  const taken = await api('POST', '/notes', { text: 'Fragile' }, { key: tenant.key })
  expect([taken.status, taken.body]).toMatchObject([
    409,
    { error: { code: 'already_exists', message: 'A note with this text exists' } },
  ])
})

it('a call over REST or /trpc writes an audit entry and an event', async ({ origin, tenant, api }) => {
  await api('POST', '/webhooks', { name: 'notes', url: 'http://127.0.0.1:9/', events: ['note/created'] }, tenant)
  await api('POST', '/notes', { text: 'over REST' }, tenant)
  const overTrpc = await send(`${origin}/trpc/notes.create`, 'POST', { text: 'over tRPC' }, tenant)
  expect(overTrpc.body).toEqual({ result: { data: { id: 2 } } })
  const log = await api('GET', '/audit-log?operation=notes.create', undefined, tenant)
  expect(log.body).toMatchObject({ data: { entries: [{ input: { text: 'over tRPC' } }, { input: { text: 'over REST' } }] } })
  const feed = await api('GET', '/events?event=note/created', undefined, tenant)
  expect(feed.body).toMatchObject({
    data: { events: [{ data: { note_id: 1, text: 'over REST' } }, { data: { note_id: 2, text: 'over tRPC' } }] },
  })
})

it('a new endpoint is a tool of agents', async ({ origin, tenant, api }) => {
  const agent = await connectAgent({ url: origin, key: tenant.key })
  const { tools } = await agent.client.listTools()
  expect(tools.find(({ name }) => name === 'notes_create')).toMatchObject({
    title: 'Write a note',
    inputSchema: { required: ['text'], properties: { text: { description: 'Text of the note.' } } },
    outputSchema: { properties: { id: { type: 'integer' } } },
    annotations: { readOnlyHint: false },
  })
  expect(await agent.call('notes_create', { text: 'by an agent' })).toEqual({ id: 1 })
  expect(await agent.failure('notes_create', { text: 'by an agent' })).toMatchObject({
    code: 'already_exists',
    message: 'A note with this text exists',
  })
  const log = async () => (await api('GET', '/audit-log?surface=mcp', undefined, tenant)).body
  // Errors are added a little later.
  await expect.poll(log).toMatchObject({ data: { entries: [{ error: 'already_exists' }, { input: { text: 'by an agent' } }] } })
  await agent.close()
})

it('a keyed call whose transaction is retried has one audit entry', async ({ service, tenant, api }) => {
  // A rollback does not reset a sequence.
  await sql`create sequence tries`.execute(service.db.kysely)
  await sql`create function fail_once() returns trigger language plpgsql as $$
    begin
      if nextval('tries') = 1 then raise exception 'conflict' using errcode = 'serialization_failure'; end if;
      return new;
    end $$`.execute(service.db.kysely)
  await sql`create trigger fail_once before insert on notes for each row execute function fail_once()`.execute(service.db.kysely)
  const once = { key: tenant.key, headers: { 'idempotency-key': 'twice run' } }
  expect((await api('POST', '/notes', { text: 'Fragile' }, once)).status).toBe(200)
  const tries = await sql<{ last_value: number }>`select last_value from tries`.execute(service.db.kysely)
  expect(tries.rows).toEqual([{ last_value: 2 }])
  const log = (await api('GET', '/audit-log?operation=notes.create', undefined, tenant)).body as {
    data: { entries: { error: string | null }[] }
  }
  expect(log.data.entries).toMatchObject([{ error: null }])
})
