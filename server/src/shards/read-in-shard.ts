import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { beingMoved } from '../database/errors.ts'
import { statement } from '../database/statements/statement.ts'
import type { Shards } from './shards.ts'

/** How long a call waits for its tenant to be switched to another shard. */
const SWITCH_PATIENCE_MS = 2_000
const PAUSE_MS = 50

const selectIsClosed = statement<[tenantId: number], { is_closed: boolean }>({
  name: 'is_tenant_fence_closed',
  lane: 'read',
  sql: 'select is_closed from tenant_fences where id = $1 or sandbox_id = $1',
})

/**
 * Reads what admits a caller, such as a key or a session, in the shard of its tenant. What is there counts. What is missing may be in another shard,
 * which this process does not know yet: then it waits for the end of the switch, and reads there. With one database, it only reads.
 */
export async function readInShard<T>(
  shards: Shards,
  tenantId: number,
  read: (db: Database) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const giveUpAtMs = performance.now() + SWITCH_PATIENCE_MS; ;) {
    const db = shards.of(tenantId)
    const found = await read(db)
    if (found !== undefined || !shards.areSeveral) return found
    const isClosed = (await db.runOne(selectIsClosed, [tenantId]))?.is_closed === true
    // Without the directory, the shard that is known decides: a key of it can be revoked and refused on.
    await shards.refresh().catch(() => {})
    if (!isClosed && shards.isIn(tenantId, db)) return undefined
    if (performance.now() > giveUpAtMs) throw beingMoved()
    await delay(PAUSE_MS)
  }
}

/** Waits until the tenant is no longer being switched, for a limited time. Returns undefined when it is not. */
export function untilSwitched(shards: Shards, tenantId: number): Promise<void> | undefined {
  const switched = shards.switched(tenantId)
  return switched === undefined ? undefined : waitBriefly(switched)
}

async function waitBriefly(switched: Promise<void>): Promise<void> {
  const patience = new AbortController()
  const isOver = await Promise.race([
    switched.then(() => true),
    delay(SWITCH_PATIENCE_MS, false, { signal: patience.signal }).catch(() => false),
  ])
  patience.abort()
  if (!isOver) throw beingMoved()
}
