import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { beingMoved } from '../errors/being-moved.ts'
import { statement } from '../database/statements/statement.ts'
import { within } from '../runtime/within.ts'
import type { Shards } from './shards.ts'

/** How long a call waits for its tenant to be switched to another shard. */
const SWITCH_PATIENCE_MS = 2_000
const PAUSE_MS = 50

interface Fence {
  is_closed: boolean
  /** Another one after each change. */
  version: string
}

const selectFence = statement<[tenantId: number], Fence>({
  name: 'read_tenant_fence',
  connection: 'read',
  sql: 'select is_closed, xmin::text as version from tenant_fences where id = $1 or sandbox_id = $1',
})

/**
 * Reads what admits a caller, such as a key or a session, in the shard of its tenant. What is there counts. What is missing may be hidden by a closed
 * fence, or in another shard, which this process does not know yet: then it waits for the end of the switch, and reads there. With one database, it only
 * reads.
 */
export async function readInShard<T>(
  shards: Shards,
  tenantId: number,
  read: (db: Database) => Promise<T | undefined>,
): Promise<T | undefined> {
  let opened: { db: Database; version: string | undefined } | undefined
  for (const giveUpAtMs = performance.now() + SWITCH_PATIENCE_MS; ;) {
    const db = shards.of(tenantId)
    const found = await read(db)
    if (found !== undefined || !shards.areSeveral) return found
    const fence = await db.runOne(selectFence, [tenantId])
    const isOpen = fence?.is_closed !== true
    // It is missing only if the fence was open before and after it was read, and not closed in between.
    const wasOpen = isOpen && opened?.db === db && opened.version === fence?.version
    if (wasOpen && shards.isIn(tenantId, db)) return undefined
    opened = isOpen ? { db, version: fence?.version } : undefined
    // Without the directory, the shard that is known decides: a key of it can be revoked and refused on.
    await shards.refresh().catch(() => {})
    if (isOpen && shards.isIn(tenantId, db)) continue
    if (performance.now() > giveUpAtMs) throw beingMoved()
    await delay(PAUSE_MS)
  }
}

/** Waits until the tenant is no longer being switched, for a limited time. Returns undefined when it is not. */
export function untilSwitched(shards: Shards, tenantId: number): Promise<void> | undefined {
  const switched = shards.switched(tenantId)
  if (switched === undefined) return undefined
  return within(SWITCH_PATIENCE_MS, switched, () => {
    throw beingMoved()
  })
}
