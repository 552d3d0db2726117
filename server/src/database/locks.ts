/**
 * The advisory locks of the program. Postgres identifies an advisory lock by one 64-bit number or by two 32-bit numbers; the two kinds
 * never conflict. Locks of a tenant have two numbers, and the first one is the tenant, so no input of a caller can name another tenant's
 * lock. Locks of the service have one number.
 *
 * A transaction takes them in this order, before any row lock: `idempotencyKey`, `catalog`.
 */

/** Locks of the service itself. */
export const SYSTEM_LOCKS = {
  /** One process at a time folds changes into the counts that lists read, or counts again. Others do not wait. */
  fold: 7_021_400_001,
  /** One process at a time creates and drops partitions. */
  partitions: 7_021_400_002,
  /** One move of a tenant at a time makes or drops its publication, and with it the replica identity of tables. */
  publications: 7_021_400_003,
} as const

/** The session lock of Kysely's migrator: one process at a time migrates. */
export const MIGRATOR_LOCK = 3_853_314_791_062_309_107n
/** SQL that is true while no process migrates. */
export const MIGRATOR_LOCK_IS_FREE = `case when pg_try_advisory_lock(${MIGRATOR_LOCK}) then pg_advisory_unlock(${MIGRATOR_LOCK}) else false end`

/**
 * SQL for the second number of each lock of tenant `$1`: 0 for the catalog, negative numbers for keys. `value` is SQL. A move of the tenant has 1, which
 * the triggers of `fence_tenant()` share with whoever closes the fence, and 2.
 */
const OF_TENANT = {
  /** Prevents changes of barcodes and SKUs while a bulk call depends on them. Calls that only exclude bulk calls share it. */
  catalog: () => '0',
  /**
   * One request at a time runs with an Idempotency-Key. Two keys of a tenant share a number once in 2^31. Then the later request is told
   * that its key is in use, and tries again.
   */
  idempotencyKey: (value: string) => `-1 - (hashtext(${value}) & 2147483647)`,
  /** Held by every transaction that writes rows of a tenant that is being moved. Exclusive for closing the fence, which waits for no row while it waits. */
  fence: () => '1',
  /** In the directory: one command at a time works at the move of a tenant. */
  move: () => '2',
}
type TenantLock = keyof typeof OF_TENANT

const TENANT = '($1::bigint % 2147483648)::int'

const numbersOf = (lock: TenantLock, value: string): string => `${TENANT}, ${OF_TENANT[lock](value)}`

/** SQL that waits for a lock of tenant `$1` and holds it until the transaction ends. */
export const awaitTenantLock = (lock: TenantLock, value = ''): string => `pg_advisory_xact_lock(${numbersOf(lock, value)})`

/** The same for a lock in shared mode. */
export const awaitSharedTenantLock = (lock: TenantLock, value = ''): string =>
  `pg_advisory_xact_lock_shared(${numbersOf(lock, value)})`

/** SQL that tries to lock for tenant `$1` until the transaction ends: true if it got the lock, false if it would have to wait. */
export const tryTenantLock = (lock: TenantLock, value = ''): string => `pg_try_advisory_xact_lock(${numbersOf(lock, value)})`

/** SQL that tries to lock for tenant `$1` until the session ends. */
export const tryTenantLockOfSession = (lock: TenantLock, value = ''): string => `pg_try_advisory_lock(${numbersOf(lock, value)})`

/** SQL that waits for a lock of the service and holds it until the transaction ends. */
export const awaitSystemLock = (lock: keyof typeof SYSTEM_LOCKS): string => `pg_advisory_xact_lock(${SYSTEM_LOCKS[lock]}::bigint)`

/** SQL that waits for a lock of the service and holds it until the session ends, or gives it up. */
export const awaitSystemLockOfSession = (lock: keyof typeof SYSTEM_LOCKS): string =>
  `pg_advisory_lock(${SYSTEM_LOCKS[lock]}::bigint)`

/** SQL that gives up a lock of the service that the session holds. */
export const giveUpSystemLock = (lock: keyof typeof SYSTEM_LOCKS): string => `pg_advisory_unlock(${SYSTEM_LOCKS[lock]}::bigint)`

/** SQL that tries to take a lock of the service: true if it got the lock, false if it would have to wait. */
export const trySystemLock = (lock: keyof typeof SYSTEM_LOCKS): string =>
  `pg_try_advisory_xact_lock(${SYSTEM_LOCKS[lock]}::bigint)`
