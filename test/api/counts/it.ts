import { expectConsistentCounting } from '../../support/counts.ts'
import { it as base } from '../../support/shared-service.ts'
import { expectConsistentStock } from '../../support/stock.ts'

/** The `it` of tests of counts. After each test, stock, counts, lines and entries must be consistent. */
export const it = base.extend('consistency', { auto: true }, async ({ service, tenant }, { onCleanup }) => {
  onCleanup(async () => {
    await expectConsistentStock(service.db, tenant)
    await expectConsistentCounting(service.db, tenant)
  })
})
