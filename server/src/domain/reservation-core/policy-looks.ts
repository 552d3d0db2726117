import { LRUCache } from 'lru-cache'

const MAX_TENANTS = 10_000

/** For so long, reads rely on having seen that a tenant does not reserve. */
const VALID_MS = 200
/** The same, for other processes whose clocks may run faster. A change of the policy waits for it after its commit, before the response. */
export const FORGOTTEN_MS = 300

interface Look {
  isReserving: boolean
  /** Before its statement was sent, by the monotonic clock. */
  atMs: number
}
const looks = new LRUCache<number, Look>({ max: MAX_TENANTS })

/** Whether the tenant reserved when its policy was last seen: a hint which statement to try first. */
export const wasReserving = (tenantId: number): boolean => looks.get(tenantId)?.isReserving === true

/**
 * Whether no change of the policy to another one than `off` had its response before now. For reads alone, which then need not look the
 * policy up. Statements that write look for themselves.
 */
export function isKnownNotToReserve(tenantId: number): boolean {
  const look = looks.get(tenantId)
  return look !== undefined && !look.isReserving && performance.now() - look.atMs < VALID_MS
}

/** Remembers what a statement has seen of the tenant's policy, which was sent to the primary after `startedAtMs`. */
export function sawPolicy(tenantId: number, isReserving: boolean, startedAtMs: number): void {
  looks.set(tenantId, { isReserving, atMs: startedAtMs })
}

/** Reads of a record. `isReserving` tells whether the tenant reserves, by a row that `reserving` has read. */
interface Reads<Row> {
  plain(): Promise<Row | undefined>
  reserving(): Promise<Row | undefined>
  isReserving(row: Row): boolean
}

/**
 * Reads a record with its reservations. Without them, if the tenant is known not to reserve: what a statement costs grows with its plan, and
 * looking up the policy alone would take a fifteenth of its time. What is returned is from one snapshot.
 */
export async function readByPolicy<Row>(
  tenantId: number,
  { plain, reserving, isReserving }: Reads<Row>,
): Promise<Row | undefined> {
  if (isKnownNotToReserve(tenantId)) return plain()
  const startedAtMs = performance.now()
  const row = await reserving()
  if (row !== undefined) sawPolicy(tenantId, isReserving(row), startedAtMs)
  return row
}
