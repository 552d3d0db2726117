/*
 * Every lock of the program that is no lock on a row or a table. Postgres keeps advisory locks by one 64-bit number or by two 32-bit numbers,
 * and the two kinds never meet. What belongs to a tenant is locked by two numbers, of which the first one is the tenant: nothing that a
 * caller sends names a lock of somebody else. Single numbers are constants of the program.
 *
 * In a transaction they are taken in this order, and before locks on rows: `idempotencyKey`, `catalog`.
 */

/** Locks of the service itself. */
export const SYSTEM_LOCKS = {
  /** One process at a time folds changes into the counts that lists read. Others do not wait. */
  fold: 7_021_400_001,
  /** One process at a time makes and drops partitions. */
  partitions: 7_021_400_002,
} as const

/** Taken by Kysely's migrator, for a session: one process at a time migrates. */
export const MIGRATOR_LOCK = 3_853_314_791_062_309_107n

/**
 * SQL for the two numbers of each lock of tenant `$1`. The second numbers of different kinds differ: 0 for the catalog, negative ones for
 * keys. `value` is SQL.
 */
const OF_TENANT = {
  /** No product gets another barcode or SKU while a bulk call decides by them. Shared by calls that only need bulk calls to stay out. */
  catalog: () => '0',
  /**
   * One request at a time runs with an Idempotency-Key. Two of a tenant's keys share a number once in 2^31; the later one is then told that it
   * is still running, and tries again.
   */
  idempotencyKey: (value: string) => `-1 - (hashtext(${value}) & 2147483647)`,
}
type TenantLock = keyof typeof OF_TENANT

const TENANT = '($1::bigint % 2147483648)::int'

const numbersOf = (lock: TenantLock, value: string): string => `${TENANT}, ${OF_TENANT[lock](value)}`

/** SQL that waits for a lock of tenant `$1` and holds it until the transaction ends. */
export const awaitTenantLock = (lock: TenantLock, value = ''): string => `pg_advisory_xact_lock(${numbersOf(lock, value)})`

/** The same for a lock that many may hold, unless one holds it alone. */
export const awaitSharedTenantLock = (lock: TenantLock, value = ''): string =>
  `pg_advisory_xact_lock_shared(${numbersOf(lock, value)})`

/** SQL that is true when it got the lock of tenant `$1`, until the transaction ends, and false when it would have had to wait. */
export const tryTenantLock = (lock: TenantLock, value = ''): string => `pg_try_advisory_xact_lock(${numbersOf(lock, value)})`

/** SQL that waits for a lock of the service and holds it until the transaction ends. */
export const awaitSystemLock = (lock: keyof typeof SYSTEM_LOCKS): string => `pg_advisory_xact_lock(${SYSTEM_LOCKS[lock]}::bigint)`

/** SQL that is true when it got the lock of the service, and false when it would have had to wait. */
export const trySystemLock = (lock: keyof typeof SYSTEM_LOCKS): string =>
  `pg_try_advisory_xact_lock(${SYSTEM_LOCKS[lock]}::bigint)`
