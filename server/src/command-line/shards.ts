import { setTimeout as delay } from 'node:timers/promises'
import { InvalidArgumentError, type Command } from 'commander'
import { readConfig } from '../config.ts'
import { requireKeyOfDatabase } from '../runtime/encryption/encryption-check.ts'
import { addShard, removeShard, setDraining } from '../shards/change-shards.ts'
import { READ_MAP_EVERY_MS } from '../shards/follow-shards.ts'
import type { OpenedShard, OpenShards } from '../shards/open-shards.ts'
import { postgresUrl, postgresUrlOfEnvironment } from './postgres-url.ts'
import { type CommandResult, table } from './result.ts'
import { runOnShards } from './run.ts'

/** Running servers have read the map by then. */
const KNOWN_AFTER_MS = READ_MAP_EVERY_MS + 1_000
const MEBIBYTE = 1_048_576
const URL_VARIABLE = 'SHARD_DATABASE_URL'

export function addShardCommands(program: Command): void {
  const shards = program.command('shards').description('Manage the databases that tenants are in. See docs/scaling.md')

  shards
    .command('add')
    .description('Add an empty Postgres database, 15 or newer, for new tenants. Running servers use it at once')
    .argument(
      '[url]',
      `connection string of the database; prefer the environment variable ${URL_VARIABLE}, because other users of the machine can see arguments`,
      postgresUrl,
    )
    .option('--json', 'print one JSON object: id')
    .action((given: string | undefined, options: { json?: boolean }) => {
      const url = given ?? urlOfEnvironment()
      return runOnShards(options, async (opened) => {
        await requireKeyOfDatabase(opened.directory, opened.encryption, readConfig(process.env))
        const id = await addShard(opened, url)
        await delay(KNOWN_AFTER_MS)
        return { json: { id }, text: `Shard ${id} takes new tenants` }
      })
    })

  shards
    .command('list')
    .description('List the shards, with their tenants and size')
    .option(
      '--json',
      'print one JSON object: shards, an array of id, state, address, first_tenant_id, is_reachable, tenants, bytes',
    )
    .action((options: { json?: boolean }) => runOnShards(options, listShards))

  shards
    .command('drain')
    .description('Keep new tenants away from a shard. Its tenants stay')
    .argument('<id>', 'id of the shard', shardId)
    .option('--undo', 'let it have new tenants again')
    .option('--json', 'print one JSON object: id, state')
    .action((id: number, options: { undo?: boolean; json?: boolean }) =>
      runOnShards(options, async (opened) => {
        const isDraining = options.undo !== true
        await setDraining(opened, id, isDraining)
        const state = isDraining ? 'draining' : 'active'
        return { json: { id, state }, text: `Shard ${id} is ${state}` }
      }),
    )

  shards
    .command('remove')
    .description('Remove a draining shard that has no tenants. Its database stays')
    .argument('<id>', 'id of the shard', shardId)
    .option('--json', 'print one JSON object: id')
    .action((id: number, options: { json?: boolean }) =>
      runOnShards(options, async (opened) => {
        await removeShard(opened, id)
        return { json: { id }, text: `Shard ${id} is removed` }
      }),
    )
}

/** The id of a shard in an argument. */
export function shardId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('is not the id of a shard; shards list shows them')
  return Number(text)
}

async function listShards({ opened }: OpenShards): Promise<CommandResult> {
  const shards = await Promise.all(opened.map(describe))
  return {
    json: { shards },
    text: table([
      ['ID', 'STATE', 'ADDRESS', 'TENANTS', 'SIZE'],
      ...shards.map(({ id, state, address, is_reachable, tenants, bytes }) => [
        String(id),
        state,
        address,
        is_reachable ? String(tenants) : 'out of reach',
        bytes === null ? '-' : `${Math.round(bytes / MEBIBYTE)} MiB`,
      ]),
    ]),
  }
}

async function describe({ id, state, firstTenantId, url, db }: OpenedShard) {
  const sizes = await db?.dedicatedPool.query(
    `select (select count(*) from tenants where sandbox_of is null) as tenants, pg_database_size(current_database()) as bytes`,
  )
  const { tenants = null, bytes = null } = (sizes?.rows[0] ?? {}) as { tenants?: number; bytes?: number }
  return { id, state, address: addressOf(url), first_tenant_id: firstTenantId, is_reachable: db !== undefined, tenants, bytes }
}

/** Without user and password. */
function addressOf(url: string | undefined): string {
  if (url === undefined) return 'DATABASE_URL'
  const { host, pathname } = new URL(url)
  return host + pathname
}

function urlOfEnvironment(): string {
  const url = postgresUrlOfEnvironment(URL_VARIABLE)
  if (url === undefined) throw new Error(`${URL_VARIABLE}: is not set. Set it to the connection string of the database`)
  return url
}
