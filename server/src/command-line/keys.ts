import { Option, type Command } from 'commander'
import { sql } from 'kysely'
import { insertApiKey, createApiKeyInput, PRESETS } from '../domain/api-keys/index.ts'
import { recordCommand } from '../domain/audit/index.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { OpenShards } from '../shards/open-shards.ts'
import { sandboxOf } from '../domain/tenants/index.ts'
import { addRotateEncryptionCommand } from './rotate-encryption.ts'
import { printSecret, table } from './result.ts'
import { runOnShards } from './run.ts'
import { requireAllShards, rowsOfAll, tenantIdOf } from './tenant-option.ts'

const OPTION_OF: Record<string, string> = { ip_whitelist: 'ip', expires_at: 'expires-at' }

interface CreateOptions {
  tenant: string
  name: string
  scopes?: string
  preset?: string
  expiresAt?: string
  ip?: string[]
  mode: 'live' | 'test'
  json?: boolean
}

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('Manage API keys')

  keys
    .command('create')
    .description('Create an API key. The key is shown only once')
    .requiredOption('--tenant <tenant>', 'id or name of the tenant')
    .addOption(new Option('--scopes <scopes>', 'comma-separated scopes, such as read:orders,write:orders').conflicts('preset'))
    .addOption(new Option('--preset <preset>', 'predefined set of scopes').choices(Object.keys(PRESETS)))
    .option('--name <name>', 'name of the key', 'created on the command line')
    .option('--expires-at <time>', 'last day of validity (UTC), or an ISO 8601 timestamp')
    .option('--ip <entries...>', 'IP addresses or CIDR ranges allowed to use the key')
    .addOption(
      new Option('--mode <mode>', 'a test key works in the sandbox of the tenant').choices(['live', 'test']).default('live'),
    )
    .option('--json', 'print one JSON object: tenant_id, api_key and the fields of the key')
    .action((options: CreateOptions) => runOnShards(options, (shards) => createKey(shards, options)))

  keys
    .command('list')
    .description('List API keys, without the keys themselves')
    .option('--tenant <tenant>', 'only keys of this tenant (id or name)')
    .option('--json', 'print one JSON object: api_keys')
    .action((options: { tenant?: string; json?: boolean }) => runOnShards(options, (shards) => listKeys(shards, options.tenant)))

  keys
    .command('revoke')
    .description('Revoke an API key permanently. Running servers reject it within a second')
    .argument('<id>', 'id of the key')
    .option('--tenant <tenant>', 'id or name of the tenant; required if several tenants have a key with this id')
    .option('--json', 'print one JSON object: tenant_id, id, revoked_at')
    .action((id: string, options: { tenant?: string; json?: boolean }) =>
      runOnShards(options, (shards) => revokeKey(shards, id, options.tenant)),
    )

  addRotateEncryptionCommand(keys)
}

async function createKey(shards: OpenShards, options: CreateOptions): Promise<void> {
  const parsed = createApiKeyInput.safeParse({
    name: options.name,
    scopes: options.scopes?.split(',').map((scope) => scope.trim()),
    preset: options.preset,
    expires_at: options.expiresAt,
    ip_whitelist: options.ip,
  })
  if (!parsed.success)
    throw new Error(
      parsed.error.issues
        .map((issue) => `--${OPTION_OF[String(issue.path[0])] ?? String(issue.path[0])}: ${issue.message}`)
        .join('\n'),
    )
  const tenantId = await tenantIdOf(shards, options.tenant)
  await shards.of(tenantId).transaction(async (tx) => {
    await requireFuture(tx, parsed.data.expires_at)
    const keyTenantId = options.mode === 'test' ? (await sandboxOf(tx, tenantId)).id : tenantId
    const input = { ...parsed.data, mode: options.mode }
    await recordCommand(tx, { tenantId, command: 'keys create', operation: 'apiKeys.create', input })
    const { key, ...shown } = await insertApiKey(tx, keyTenantId, options.mode, parsed.data)
    await printSecret(options, {
      json: { tenant_id: tenantId, api_key: key, ...shown },
      text: `API key ${shown.id} "${shown.name}" (${shown.scopes.join(', ')})\nShown only now  ${key}`,
    })
  })
}

/** Keys expire by the clock of the database. */
async function requireFuture({ kysely }: Queryable, time: string | null | undefined): Promise<void> {
  if (time === null || time === undefined) return
  const { rows } = await sql<{ is_past: boolean }>`select ${time}::timestamptz <= clock_timestamp() as is_past`.execute(kysely)
  if (rows[0]?.is_past === true) throw new Error(`--expires-at: ${time} is in the past`)
}

/** Keys of all tenants, or of one. */
function keysOf({ kysely }: Database, tenantId: number | undefined) {
  const query = kysely
    .selectFrom('api_keys as k')
    .innerJoin('tenants as t', 't.id', 'k.tenant_id')
    .select((eb) => [
      eb.fn.coalesce('t.sandbox_of', 't.id').as('tenant_id'),
      'k.id',
      'k.name',
      'k.prefix',
      'k.scopes',
      eb.case().when('t.sandbox_of', 'is', null).then('live').else('test').end().as('mode'),
      'k.expires_at',
      'k.ip_whitelist',
      'k.created_at',
      'k.last_used_at',
      'k.revoked_at',
    ])
    .orderBy('k.id')
  if (tenantId === undefined) return query
  return query.where((eb) => eb.or([eb('t.id', '=', tenantId), eb('t.sandbox_of', '=', tenantId)]))
}

async function listKeys(shards: OpenShards, tenant: string | undefined) {
  const tenantId = tenant === undefined ? undefined : await tenantIdOf(shards, tenant)
  const rows =
    tenantId === undefined
      ? await rowsOfAll(
          shards,
          (db) => keysOf(db, undefined).execute(),
          ({ tenant_id }) => tenant_id,
        )
      : await keysOf(shards.of(tenantId), tenantId).execute()
  return {
    json: { api_keys: rows },
    text: table([
      ['ID', 'TENANT', 'NAME', 'PREFIX', 'MODE', 'SCOPES', 'EXPIRES', 'REVOKED'],
      ...rows.map((row) => [
        String(row.id),
        String(row.tenant_id),
        row.name,
        row.prefix,
        row.mode,
        row.scopes.join(','),
        row.expires_at ?? '-',
        row.revoked_at ?? '-',
      ]),
    ]),
  }
}

async function revokeKey(shards: OpenShards, id: string, tenant: string | undefined) {
  if (!/^\d{1,15}$/.test(id)) throw new Error(`${id} is not the id of an API key; "keys list" shows the ids`)
  const keyId = Number(id)
  const tenantId = tenant === undefined ? undefined : await tenantIdOf(shards, tenant)
  if (tenantId === undefined) requireAllShards(shards)
  const found = (
    await rowsOfAll(
      shards,
      (db) => keysWithId(db, keyId),
      ({ owner_id }) => owner_id,
    )
  ).filter((key) => tenantId === undefined || key.owner_id === tenantId)
  const [key] = found
  if (key === undefined)
    throw new Error(`There is no API key ${id}${tenant === undefined ? '' : ` of tenant ${tenant}`}; keys list shows the ids`)
  if (found.length > 1) throw new Error(severalKeys(found))
  const { revoked_at } = await shards.of(key.tenant_id).transaction(async (tx) => {
    await recordCommand(tx, { tenantId: key.owner_id, command: 'keys revoke', operation: 'apiKeys.revoke', input: { id: keyId } })
    return await tx.kysely
      .updateTable('api_keys')
      .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.fn<string>('now')) }))
      .where('tenant_id', '=', key.tenant_id)
      .where('id', '=', keyId)
      .returning('revoked_at')
      .executeTakeFirstOrThrow()
  })
  return {
    json: { tenant_id: key.owner_id, id: keyId, revoked_at },
    text: `API key ${keyId} "${key.name}" of tenant ${key.owner_id} was revoked at ${revoked_at}`,
  }
}

/** Ids of keys are unique within their tenant alone: a tenant keeps them when it moves to another database. */
async function keysWithId(db: Database, id: number) {
  return await db.kysely
    .selectFrom('api_keys as k')
    .innerJoin('tenants as t', 't.id', 'k.tenant_id')
    .select((eb) => ['k.tenant_id', eb.fn.coalesce('t.sandbox_of', 't.id').as('owner_id'), 'k.id', 'k.name', 'k.prefix'])
    .where('k.id', '=', id)
    .orderBy('k.tenant_id')
    .execute()
}

function severalKeys(keys: Awaited<ReturnType<typeof keysWithId>>): string {
  const listed = keys.map(({ owner_id, name, prefix }) => `--tenant ${owner_id} for "${name}" (${prefix}…)`)
  return `Several tenants have an API key ${keys[0]?.id}. Name the one you mean: ${listed.join(', ')}`
}
