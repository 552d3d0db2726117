import { it as base } from '../../support/shared-service.ts'
import { expectConsistentPicking } from '../../support/picking.ts'
import { expectConsistentStock } from '../../support/stock.ts'

/** The `it` of tests of picking. After each test, orders, lines, flows, picks, movements and counts must be consistent. */
export const it = base.extend('consistency', { auto: true }, async ({ service, tenant }, { onCleanup }) => {
  onCleanup(async () => {
    await expectConsistentStock(service.db, tenant)
    await expectConsistentPicking(service.db, tenant)
  })
})
