import { it as base } from '../../support/shared-service.ts'
import { expectConsistentShipments } from '../../support/shipments.ts'

/** The `it` of tests of shipments. After each test, shipments, their lines and their orders must be consistent. */
export const it = base.extend('consistency', { auto: true }, async ({ service, tenant }, { onCleanup }) => {
  onCleanup(() => expectConsistentShipments(service.db, tenant))
})
