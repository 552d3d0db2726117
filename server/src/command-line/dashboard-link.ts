import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import { recordCommand } from '../domain/audit/index.ts'
import { createSignInCode } from '../domain/sessions/index.ts'
import { dashboardLink } from '../http/pages/dashboard-link.ts'
import type { OpenShards } from '../shards/open-shards.ts'
import { type CommandResult } from './result.ts'
import { runOnShards } from './run.ts'
import { requireAllShards, rowsOfAll, tenantIdOf } from './tenant-option.ts'

interface Options {
  tenant?: string
  key?: string
  json?: boolean
}

interface LinkKey {
  tenant_id: number
  owner_id: number
  id: number
  name: string
}

export function addDashboardLinkCommand(program: Command): void {
  program
    .command('dashboard-link')
    .description('Print a link that signs in to the dashboard once, within 15 minutes, with the rights of an API key')
    .option('--tenant <tenant>', 'id or name of the tenant; required if there are several')
    .option('--key <id>', 'id of the API key. Default: the oldest live admin key without an allow-list')
    .option('--json', 'print one JSON object: tenant_id, key_id, url')
    .action((options: Options) => runOnShards(options, (shards) => createLink(shards, options)))
}

async function createLink(shards: OpenShards, options: Options): Promise<CommandResult> {
  const config = readConfig(process.env)
  if (!config.pages) throw new Error('PAGES: is false, so the server has no dashboard')
  const tenantId = await requireTenant(shards, options.tenant)
  const db = shards.of(tenantId)
  const key = await (options.key === undefined ? defaultKey(db, tenantId) : namedKey(db, tenantId, options.key))
  const code = await db.transaction(async (tx) => {
    const input = { key_id: key.id }
    await recordCommand(tx, { tenantId: key.owner_id, command: 'dashboard-link', operation: 'sessions.createCode', input })
    return await createSignInCode(tx, { tenantId: key.tenant_id, keyId: key.id })
  })
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const url = dashboardLink(config, `http://${host}:${config.port}`, code)
  return {
    json: { tenant_id: key.owner_id, key_id: key.id, url },
    text: `Dashboard of tenant ${key.owner_id} with the rights of API key ${key.id} "${key.name}" (once, 15 minutes)\n${url}`,
  }
}

async function requireTenant(shards: OpenShards, tenant: string | undefined): Promise<number> {
  if (tenant !== undefined) return await tenantIdOf(shards, tenant)
  requireAllShards(shards)
  const [first, second] = await rowsOfAll(
    shards,
    ({ kysely }) => kysely.selectFrom('tenants').select('id').where('sandbox_of', 'is', null).execute(),
    ({ id }) => id,
  )
  if (first === undefined) throw new Error('There is no tenant yet; the first start of the server makes one')
  if (second !== undefined) throw new Error('--tenant: there are several tenants; name one. tenants list shows them')
  return first.id
}

/** Keys of the tenant and its sandbox that are neither revoked nor expired. */
function validKeys(db: Database, tenantId: number) {
  return db.kysely
    .selectFrom('api_keys as k')
    .innerJoin('tenants as t', 't.id', 'k.tenant_id')
    .select((eb) => ['k.tenant_id', eb.fn.coalesce('t.sandbox_of', 't.id').as('owner_id'), 'k.id', 'k.name'])
    .where((eb) => eb.or([eb('t.id', '=', tenantId), eb('t.sandbox_of', '=', tenantId)]))
    .where('k.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('k.expires_at', 'is', null), eb('k.expires_at', '>', eb.fn<string>('now'))]))
}

async function namedKey(db: Database, tenantId: number, id: string): Promise<LinkKey> {
  const keys = /^\d{1,15}$/.test(id) ? await validKeys(db, tenantId).where('k.id', '=', Number(id)).execute() : []
  const [key] = keys
  if (key === undefined)
    throw new Error(`--key: tenant ${tenantId} has no valid API key ${id}; keys list --tenant ${tenantId} shows the ids`)
  return key
}

async function defaultKey(db: Database, tenantId: number): Promise<LinkKey> {
  const key = await validKeys(db, tenantId)
    .where('t.sandbox_of', 'is', null)
    .where((eb) => eb(eb.val('admin'), '=', eb.fn.any('k.scopes')))
    .where((eb) => eb(eb.fn<number>('cardinality', ['k.ip_whitelist']), '=', 0))
    .orderBy('k.created_at')
    .orderBy('k.id')
    .limit(1)
    .executeTakeFirst()
  if (key === undefined)
    throw new Error(
      `Tenant ${tenantId} has no valid live API key with the scope admin and without an allow-list; name another key with --key, or make one with keys create`,
    )
  return key
}
