import { sql } from 'kysely'
import { InvalidArgumentError, type Command } from 'commander'
import type { Database } from '../database/database.ts'
import { insertApiKey } from '../domain/api-keys/index.ts'
import { recordCommand } from '../domain/audit/index.ts'
import { trimmedText } from '../procedures/fields/fields.ts'
import { createTenant } from '../domain/tenants/index.ts'
import { noShard } from '../shards/change-shards.ts'
import { leastLoaded } from '../shards/least-loaded.ts'
import type { OpenedShard, OpenShards } from '../shards/open-shards.ts'
import { type CommandResult, runOnShards, table } from './run.ts'
import { shardId } from './shards.ts'

export function addTenantCommands(program: Command): void {
  const tenants = program.command('tenants').description('Manage tenants')

  tenants
    .command('create')
    .description('Create a tenant with an admin key. The key is shown only once')
    .argument('<name>', 'name of the tenant, up to 255 characters', tenantName)
    .option('--shard <id>', 'id of the shard. Default: the one with the least load that is not draining', shardId)
    .option('--json', 'print one JSON object: tenant_id, name, shard_id, api_key')
    .action((name: string, options: { shard?: number; json?: boolean }) =>
      runOnShards(options, (shards) => createOne(shards, name, options.shard)),
    )

  tenants
    .command('list')
    .description('List all tenants, with their shards and sizes')
    .option('--json', 'print one JSON object: tenants, an array of tenant_id, name, shard_id, orders, movements, created_at')
    .action((options: { json?: boolean }) => runOnShards(options, listAll))
}

async function createOne({ opened }: OpenShards, name: string, id: number | undefined): Promise<CommandResult> {
  const shard = id === undefined ? await leastLoaded(opened) : shardWith(opened, id)
  const { tenant, key } = await shard.db.transaction(async (tx) => {
    const made = await createTenant(tx, name)
    const { key: value } = await insertApiKey(tx, made.id, 'live', { name: 'admin key', preset: 'full_access' })
    const command = { command: 'tenants create', operation: 'tenants.create', input: { name } }
    await recordCommand(tx, { tenantId: made.id, ...command })
    return { tenant: made, key: value }
  })
  const where = opened.length === 1 ? '' : ` in shard ${shard.id}`
  return {
    json: { tenant_id: tenant.id, name, shard_id: shard.id, api_key: key },
    text: `Tenant ${tenant.id} "${name}"${where}\nAdmin API key (shown only now)  ${key}`,
  }
}

/** The shard that `--shard` names. A draining one gets no tenants either way. */
function shardWith(opened: OpenShards['opened'], id: number): OpenedShard & { db: Database } {
  const shard = opened.find((one) => one.id === id)
  if (shard === undefined) throw noShard(id)
  const { db, state } = shard
  if (db === undefined) throw new Error(`--shard: shard ${id} cannot be reached`)
  if (state === 'draining') throw new Error(`--shard: shard ${id} is draining and gets no new tenants`)
  return { ...shard, db }
}

async function listAll({ opened }: OpenShards): Promise<CommandResult> {
  const rows = (await Promise.all(opened.map(async ({ id, db }) => (db === undefined ? [] : await tenantsOf(id, db))))).flat()
  return {
    json: { tenants: rows },
    text: table([
      ['ID', 'NAME', 'SHARD', 'ORDERS', 'MOVEMENTS', 'CREATED'],
      ...rows.map((row) => [
        String(row.tenant_id),
        row.name,
        String(row.shard_id),
        String(row.orders),
        String(row.movements),
        row.created_at,
      ]),
    ]),
  }
}

interface ListedTenant {
  tenant_id: number
  name: string
  shard_id: number
  orders: number
  movements: number
  created_at: string
}

/** The tenants of a shard. Their sizes are from the counts of lists, without the changes of the last second and without sandboxes. */
async function tenantsOf(shardId: number, { kysely }: Database): Promise<ListedTenant[]> {
  const { rows } = await sql<ListedTenant>`
    select t.id as tenant_id, t.name, ${shardId}::int as shard_id, coalesce(o.orders, 0)::bigint as orders,
      coalesce(m.movements, 0)::bigint as movements, t.created_at
    from tenants t
    left join (select tenant_id, sum(count) as orders from order_counts group by tenant_id) o on o.tenant_id = t.id
    left join (select tenant_id, sum(count) as movements from movement_counts group by tenant_id) m on m.tenant_id = t.id
    where t.sandbox_of is null order by t.id`.execute(kysely)
  return rows
}

function tenantName(text: string): string {
  const { data, error } = trimmedText(255).safeParse(text)
  if (data === undefined) throw new InvalidArgumentError(error?.issues[0]?.message ?? 'is not a name')
  return data
}
