import { sql } from 'kysely'
import { InvalidArgumentError, type Command } from 'commander'
import type { Database } from '../database/database.ts'
import { insertApiKey } from '../domain/api-keys/index.ts'
import { recordCommand } from '../domain/audit/index.ts'
import { trimmedText } from '../procedures/fields/fields.ts'
import { createTenant } from '../domain/tenants/index.ts'
import { noShard } from '../shards/change-shards.ts'
import { leastLoaded } from '../shards/least-loaded.ts'
import { abortMove, type MovePlan, moveTenant, planMove } from '../shards/move/move-tenant.ts'
import type { OpenedShard, OpenShards } from '../shards/open-shards.ts'
import { postgresUrl, postgresUrlOfEnvironment } from './postgres-url.ts'
import { printLine } from './progress.ts'
import { type CommandResult, printSecret, table } from './result.ts'
import { runOnShards } from './run.ts'
import { shardId } from './shards.ts'
import { rowsOfAll } from './tenant-option.ts'

const SOURCE_VARIABLE = 'SOURCE_DATABASE_URL'

export function addTenantCommands(program: Command): void {
  const tenants = program.command('tenants').description('Manage tenants')

  tenants
    .command('create')
    .description('Create a tenant with an admin key. The key is shown only once')
    .argument('<name>', 'name of the tenant, up to 255 characters', tenantName)
    .option('--shard <id>', 'id of the shard. Default: the one with the least load that is not draining', shardId)
    .option('--json', 'print one JSON object: tenant_id, name, shard_id, api_key')
    .action((name: string, options: CreateOptions) =>
      runOnShards(options, (shards) => createOne(shards, name, options), { mayCreate: true }),
    )

  tenants
    .command('list')
    .description('List all tenants, with their shards and sizes')
    .option('--json', 'print one JSON object: tenants, an array of tenant_id, name, shard_id, orders, movements, created_at')
    .action((options: { json?: boolean }) => runOnShards(options, listAll))

  tenants
    .command('move')
    .description('Move a tenant and its sandbox to another shard while it is served. See docs/scaling.md')
    .argument('<id>', 'id of the tenant', tenantId)
    .option('--to <shard>', 'id of the shard', shardId)
    .option('--abort', 'give up a move before its switch')
    .option('--dry-run', 'only check whether the tenant can be moved')
    .option(
      '--source-url <url>',
      `address of the present shard, as the Postgres of the new one reaches it; prefer the environment variable ${SOURCE_VARIABLE}, because other users of the machine can see arguments. Default: as this command does`,
      postgresUrl,
    )
    .option('--quiet', 'show no progress')
    .option(
      '--json',
      'print one JSON object: tenant_id, from, to, pause_ms; with --dry-run: tenant_id, name, from, to, state, missing',
    )
    .action((id: number, options: MoveCommand) => runOnShards(options, (shards) => moveOne(shards, id, options)))
}

interface CreateOptions {
  shard?: number
  json?: boolean
}

interface MoveCommand {
  to?: number
  abort?: boolean
  dryRun?: boolean
  sourceUrl?: string
  quiet?: boolean
  json?: boolean
}

async function moveOne(
  shards: OpenShards,
  id: number,
  { to, abort, dryRun, sourceUrl, quiet }: MoveCommand,
): Promise<CommandResult> {
  const note = (line: string): void => {
    if (quiet !== true) printLine(line)
  }
  if (abort === true) {
    if (to !== undefined || dryRun === true || sourceUrl !== undefined)
      throw new Error('--abort: takes neither --to nor --dry-run nor --source-url')
    const stayed = await abortMove(shards, id, { note })
    return { json: { ...stayed }, text: `Tenant ${id} stays in shard ${stayed.to}` }
  }
  if (to === undefined) throw new Error('--to: name the shard that the tenant moves to')
  if (dryRun === true) return planned(await planMove(shards, id, to))
  const moved = await moveTenant(shards, id, to, { note, sourceUrl: sourceUrl ?? postgresUrlOfEnvironment(SOURCE_VARIABLE) })
  return { json: { ...moved }, text: `Tenant ${id} is in shard ${moved.to}` }
}

function planned(plan: MovePlan): CommandResult {
  const { tenant_id, name, from, to, state, missing } = plan
  const what = `tenant ${tenant_id} "${name}" from shard ${from} to shard ${to}`
  if (missing.length === 0)
    return {
      json: { ...plan },
      text: state === 'settled' ? `Can move ${what}` : `A move of tenant ${tenant_id} is ${state}: the command goes on with it`,
    }
  process.exitCode = 1
  return { json: { ...plan }, text: [`Cannot move ${what}:`, ...missing].join('\n') }
}

async function createOne({ opened }: OpenShards, name: string, options: CreateOptions): Promise<void> {
  const shard = options.shard === undefined ? await leastLoaded(opened) : shardWith(opened, options.shard)
  const where = opened.length === 1 ? '' : ` in shard ${shard.id}`
  await shard.db.transaction(async (tx) => {
    const { id } = await createTenant(tx, name)
    const { key } = await insertApiKey(tx, id, 'live', { name: 'admin key', preset: 'full_access' })
    const command = { command: 'tenants create', operation: 'tenants.create', input: { name } }
    await recordCommand(tx, { tenantId: id, ...command })
    await printSecret(options, {
      json: { tenant_id: id, name, shard_id: shard.id, api_key: key },
      text: `Tenant ${id} "${name}"${where}\nAdmin API key (shown only now)  ${key}`,
    })
  })
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

async function listAll(shards: OpenShards): Promise<CommandResult> {
  const idOf = new Map(shards.opened.map(({ id, db }) => [db, id]))
  const rows = await rowsOfAll(
    shards,
    (db) => tenantsOf(idOf.get(db) as number, db),
    ({ tenant_id }) => tenant_id,
  )
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

function tenantId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('is not the id of a tenant; tenants list shows them')
  return Number(text)
}

function tenantName(text: string): string {
  const { data, error } = trimmedText(255).safeParse(text)
  if (data === undefined) throw new InvalidArgumentError(error?.issues[0]?.message ?? 'is not a name')
  return data
}
