import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { OpenedShard } from './open-shards.ts'

/** What a tenant counts for at least, so that new tenants spread before they have called: about one call a minute. */
const CALLS_OF_QUIET_TENANT = 10_000

/** The shard that new tenants go to: of those that are reachable and not draining, the one whose tenants called least in the last 7 days. */
export async function leastLoaded(shards: readonly OpenedShard[]): Promise<OpenedShard & { db: Database }> {
  const open = shards.filter(
    (shard): shard is OpenedShard & { db: Database } => shard.state === 'active' && shard.db !== undefined,
  )
  const [first, ...others] = open
  if (first === undefined) throw new Error('No shard takes new tenants: each is draining or cannot be reached')
  if (others.length === 0) return first
  const loads = await Promise.all(open.map(async (shard) => ({ shard, load: await loadOf(shard.db) })))
  return loads.reduce((least, one) => (one.load < least.load ? one : least)).shard
}

async function loadOf({ kysely }: Database): Promise<number> {
  const { rows } = await sql<{ load: number }>`
    select coalesce(sum(greatest(u.calls, ${CALLS_OF_QUIET_TENANT})), 0)::float8 as load
    from tenants t
    left join (
      select tenant_id, sum(requests) as calls from usage_hours where at > now() - interval '7 days' group by tenant_id
    ) u on u.tenant_id = t.id
    where t.sandbox_of is null or u.calls > 0`.execute(kysely)
  return rows[0]?.load ?? 0
}
