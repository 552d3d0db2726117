import { LRUCache } from 'lru-cache'

const MOST_TENANTS = 10_000

/** Tenants that reserved when they last called. Only a hint which statement to try first: each of them reads the policy, and tells when the other is due. */
const known = new LRUCache<number, true>({ max: MOST_TENANTS })

/** Whether the tenant reserved when its policy was last seen. */
export const isKnownToReserve = (tenantId: number): boolean => known.has(tenantId)

/** Remembers what a statement has seen of the tenant's policy. */
export function sawPolicy(tenantId: number, isReserving: boolean): void {
  if (isReserving) known.set(tenantId, true)
  else known.delete(tenantId)
}

/**
 * Reads a record with or without its reservations, as the policy asks for. Without them the statement is smaller, which everyone under the
 * policy `off` gains by. What `read` returns is from one snapshot.
 */
export async function readByPolicy<Row extends { is_reserving: boolean }>(
  tenantId: number,
  read: (withReservations: boolean) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const wasKnown = isKnownToReserve(tenantId)
  const row = await read(wasKnown)
  if (row === undefined) return undefined
  sawPolicy(tenantId, row.is_reserving)
  return row.is_reserving && !wasKnown ? read(true) : row
}
