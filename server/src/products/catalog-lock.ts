import type { Transaction } from '../database/database.ts'
import { awaitSharedTenantLock, awaitTenantLock } from '../database/locks.ts'
import { statement } from '../database/statement.ts'

/** SQL that is true, when it has waited for a running bulk call, and keeps others out until the transaction ends. */
export const KEEPS_BULK_CALLS_OUT = `(select ${awaitSharedTenantLock('catalog')}) is not null`

const lockShared = statement<[tenantId: number], unknown>('lock_catalog_shared', `select ${awaitSharedTenantLock('catalog')}`)
const lockExclusive = statement<[tenantId: number], unknown>('lock_catalog_exclusive', `select ${awaitTenantLock('catalog')}`)

/** Waits for a running bulk call and keeps others out until the transaction ends. To be called before any row is locked. */
export async function keepBulkCallsOut(transaction: Transaction, tenantId: number): Promise<void> {
  await transaction.runFirst(lockShared, [tenantId])
}

/**
 * Until the transaction ends, nobody else gives a product of the tenant a barcode or an SKU, so that what a bulk call finds out about
 * them still holds when it writes. To be called before any row is locked.
 */
export async function lockCatalog(transaction: Transaction, tenantId: number): Promise<void> {
  await transaction.runFirst(lockExclusive, [tenantId])
}
