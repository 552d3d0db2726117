import { it as base } from '../../support/shared-service.ts'
import { expectConsistentReceiving, KINDS } from '../../support/receiving.ts'
import { expectConsistentStock } from '../../support/stock.ts'

/** The `it` of tests of receiving. After each test, stock, records, lines and receipts must be consistent. */
export const it = base.extend('consistency', { auto: true }, async ({ service, tenant }, { onCleanup }) => {
  onCleanup(async () => {
    await expectConsistentStock(service.db, tenant)
    for (const kind of KINDS) await expectConsistentReceiving(service.db, tenant, kind)
  })
})
