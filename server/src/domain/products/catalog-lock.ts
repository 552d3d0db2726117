import type { Transaction } from '../../database/database.ts'
import { awaitSharedTenantLock, awaitTenantLock } from '../../database/locks.ts'
import { statement } from '../../database/statements/statement.ts'

/** SQL that waits for a running bulk call, blocks others until the transaction ends, and returns true. */
export const KEEPS_BULK_CALLS_OUT = `(select ${awaitSharedTenantLock('catalog')}) is not null`

const lockShared = statement<[tenantId: number], unknown>({
  name: 'lock_catalog_shared',
  connection: 'write',
  sql: `select ${awaitSharedTenantLock('catalog')}`,
})
const lockExclusive = statement<[tenantId: number], unknown>({
  name: 'lock_catalog_exclusive',
  connection: 'write',
  sql: `select ${awaitTenantLock('catalog')}`,
})

/** Waits for a running bulk call and blocks others until the transaction ends. Call it before any row is locked. */
export async function keepBulkCallsOut(transaction: Transaction, tenantId: number): Promise<void> {
  await transaction.runFirst(lockShared, [tenantId])
}

/**
 * Until the transaction ends, no other call can set a barcode or SKU of the tenant's products, so what a bulk call reads about them still
 * holds when it writes. Call it before any row is locked.
 */
export async function lockCatalog(transaction: Transaction, tenantId: number): Promise<void> {
  await transaction.runFirst(lockExclusive, [tenantId])
}
