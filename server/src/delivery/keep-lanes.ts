import { statement } from '../database/statements/statement.ts'
import type { EngineConnection } from './connection.ts'

/** Ownership of a lane ends this long after its last renewal, by the database's clock. */
export const OWNERSHIP = `interval '3 seconds'`

/** Interval of renewals. */
export const KEEP_INTERVAL_MS = 1_000

const keep = statement<[tenants: number[], subscriptions: number[], owner: string], KeptLane>({
  name: 'keep_lanes',
  connection: 'write',
  sql: `with lane as (
     select l.tenant_id, l.subscription_id
     from unnest($1::bigint[], $2::bigint[]) as mine (tenant_id, subscription_id)
     join webhook_lanes l on l.tenant_id = mine.tenant_id and l.subscription_id = mine.subscription_id
     order by l.tenant_id, l.subscription_id
     for no key update of l
   ), kept as (
     update webhook_lanes l set owner_until = clock_timestamp() + ${OWNERSHIP}
     from lane where l.tenant_id = lane.tenant_id and l.subscription_id = lane.subscription_id and l.owner = $3
   )
   select lane.tenant_id as "tenantId", lane.subscription_id as "subscriptionId", s.active
   from lane join webhook_subscriptions s on s.tenant_id = lane.tenant_id and s.id = lane.subscription_id`,
})

/** Renews the ownership of these lanes. Returns those whose subscriptions still exist. */
export async function keepLanes(
  connection: EngineConnection,
  owner: string,
  lanes: readonly LaneKey[],
): Promise<readonly KeptLane[]> {
  const tenants = lanes.map((lane) => lane.tenantId)
  const subscriptions = lanes.map((lane) => lane.subscriptionId)
  return await connection.run(keep, [tenants, subscriptions, owner])
}

export interface LaneKey {
  tenantId: number
  subscriptionId: number
}

/** A lane, and whether its subscription is active. */
export interface KeptLane extends LaneKey {
  active: boolean
}
