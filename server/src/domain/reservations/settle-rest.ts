import type { Queryable } from '../../database/database.ts'
import { isOfMovedTenant, isOfStatement } from '../../database/errors.ts'
import { statement } from '../../database/statements/statement.ts'
import { recordEvents } from '../events/index.ts'
import { NO_LINES, RESERVING, settled, withReservationEvents } from '../reservation-core/index.ts'

/**
 * Expired lines, and products with more to settle, that a round settles of a tenant, in one statement: no tenant's backlog delays the others by more
 * than this.
 */
const PIECE = 25

/** How long a statement waits for each lock that somebody else holds. */
const LOCK_TIMEOUT_MS = 500

/** Of a tenant's products that are settled one by one, so many may fail in a round: each may have waited for a lock, and other tenants wait meanwhile. */
const MAX_FAILURES = 2

/** How long a run goes on with the tenants that had something to settle. Then all are looked at again. */
const RUN_MS = 1_000

interface Unsettled {
  tenant_id: number
  product_id: number
  warehouse_id: number
}

const listUnsettled = statement<[limit: number, tenantIds: readonly number[] | null], Unsettled>({
  name: 'list_unsettled',
  connection: 'read',
  // While reserving is switched, the job does the rest, and sends no events.
  sql: `select s.tenant_id, u.product_id, u.warehouse_id
   from tenant_settings s cross join lateral (
     (select product_id, warehouse_id from unsettled_stock
      where tenant_id = s.tenant_id and s.reservation_phase = 'ready' order by product_id, warehouse_id limit $1)
     union
     (select product_id, warehouse_id from hold_lines
      where tenant_id = s.tenant_id and reserved > 0 and expires_at <= clock_timestamp() order by expires_at limit $1)
   ) u
   where s.reservation_policy <> 'off' and s.reservation_phase <> 'clearing' and ($2::bigint[] is null or s.tenant_id = any ($2))`,
})

const settleRestOf = statement<
  [tenantId: number, productIds: readonly number[], warehouseIds: readonly number[]],
  { settled: number }
>({
  name: 'settle_rest',
  connection: 'write',
  // The time limit holds for this statement. It is set before the locks are taken. Who has locked a total settles it, or it is settled later.
  sql: `with ${RESERVING}, no_event as (
     select 0::bigint as position, '' as topic, '' as data where false
   ), unlocked as materialized (
     select w.product_id, w.warehouse_id
     from set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true), unnest($2::bigint[], $3::bigint[]) u (product_id, warehouse_id)
     cross join lateral (
       select product_id, warehouse_id from warehouse_stock
       where tenant_id = $1 and product_id = u.product_id and warehouse_id = u.warehouse_id limit 1 for no key update skip locked
     ) w
   ), ${settled({ stock: 'select product_id, warehouse_id from unlocked', lines: NO_LINES })},
   ${recordEvents(withReservationEvents('no_event'))}
   select count(*) as settled from unlocked`,
})

/**
 * Settles what calls left because it was too much for them, and the lines of expired holds that no call dropped. What fails for a tenant is
 * reported, and does not keep the others.
 */
export async function settleRest(db: Queryable, signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
  const startedAt = performance.now()
  let tenants: number[] | null = null
  do {
    tenants = await settleRound(db, tenants, signal, onError)
  } while (tenants.length > 0 && !signal.aborted && performance.now() - startedAt < RUN_MS)
}

/** Settles a piece of each of these tenants, or of all. Returns those of which something was settled: there may be more of them. */
async function settleRound(
  db: Queryable,
  tenants: readonly number[] | null,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<number[]> {
  const settled: number[] = []
  const unsettled = await db.run(listUnsettled, [PIECE, tenants])
  for (const [tenant, pairs] of Map.groupBy(unsettled, ({ tenant_id: id }) => id)) {
    if (signal.aborted) break
    if (await settlePiece(db, tenant, pairs, onError)) settled.push(tenant)
  }
  return settled
}

/**
 * Settles products of a tenant in one statement; if it fails, one by one, because one that is locked or too much must not keep the others. Returns
 * whether something was settled.
 */
async function settlePiece(
  db: Queryable,
  tenant: number,
  pairs: readonly Unsettled[],
  onError: (error: unknown) => void,
): Promise<boolean> {
  const together = await settle(db, tenant, pairs)
  if (together.is !== 'failed') return together.is === 'settled'
  let hasSettled = false
  let failures = 0
  for (const pair of pairs) {
    const alone = pairs.length === 1 ? together : await settle(db, tenant, [pair])
    if (alone.is === 'settled') hasSettled = true
    if (alone.is !== 'failed') continue
    onError(alone.error)
    if (++failures >= MAX_FAILURES) break
  }
  return hasSettled
}

type Outcome = { is: 'settled' | 'nothing' } | { is: 'failed'; error: unknown }

async function settle(db: Queryable, tenant: number, pairs: readonly Unsettled[]): Promise<Outcome> {
  const products = pairs.map(({ product_id: product }) => product)
  const warehouses = pairs.map(({ warehouse_id: warehouse }) => warehouse)
  try {
    const [row] = await db.run(settleRestOf, [tenant, products, warehouses])
    return { is: row !== undefined && row.settled > 0 ? 'settled' : 'nothing' }
  } catch (error) {
    if (!isOfStatement(error)) throw error
    // The other shard of a moved tenant settles.
    return isOfMovedTenant(error) ? { is: 'nothing' } : { is: 'failed', error }
  }
}
