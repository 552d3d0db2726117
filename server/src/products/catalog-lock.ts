import type { Transaction } from '../database/database.ts'
import { statement } from '../database/statement.ts'

/** SQL for the number by which the catalog of tenant `$1` is locked. The seed tells it from other locks on the tenant. */
const CATALOG = `hashint8extended($1::bigint, 7300)`

/**
 * SQL that is true, and keeps bulk calls out until the transaction ends, when no bulk call is running. It never waits: on the
 * connections that all requests share, a wait would hold up other tenants.
 */
export const KEEPS_BULK_CALLS_OUT = `(select pg_try_advisory_xact_lock_shared(${CATALOG}))`

const lockShared = statement<[tenantId: number], unknown>(
  'lock_catalog_shared',
  `select pg_advisory_xact_lock_shared(${CATALOG})`,
)
const lockExclusive = statement<[tenantId: number], unknown>('lock_catalog_exclusive', `select pg_advisory_xact_lock(${CATALOG})`)

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
