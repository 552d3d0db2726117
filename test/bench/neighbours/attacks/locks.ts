import type { Attack, Battlefield } from '../attack.ts'
import { catalogLock, keyForLock, orderLock } from '../chosen-keys.ts'
import { changedPrices } from '../preparations.ts'

const CALLERS = 10
const KEYS_A_LOCK = 5

/**
 * Sends long bulk calls with Idempotency-Keys chosen so that their advisory locks are the same as those of the neighbour's orders and
 * catalog. It worked because all advisory locks were 64-bit hashes in one space, including the hash of the caller's key. The calls wait for
 * each other, which holds the locks longer.
 */
export const locks: Attack = {
  name: 'locks',
  title: "Idempotency-Keys chosen to collide with the neighbour's locks",
  prepare: async (_flood, field) => chosenKeys(field),
  async run(flood, { short }, prepared) {
    const keys = prepared as string[]
    await flood.flood(CALLERS, (count) => ({
      ...changedPrices(short ? 50 : 600, 1 + count),
      headers: { 'idempotency-key': keys[count % keys.length] as string },
    }))
  },
}

/** Keys for all locks in turn, so that the calls in progress hold as many different locks as there are callers. */
function chosenKeys({ tenantId, neighbour, short }: Battlefield): string[] {
  const wanted = [catalogLock(neighbour.tenantId), ...neighbour.orders.map(orderLock)].slice(0, short ? 2 : undefined)
  return Array.from({ length: KEYS_A_LOCK }, () => wanted.map((lock) => keyForLock(lock, tenantId))).flat()
}
