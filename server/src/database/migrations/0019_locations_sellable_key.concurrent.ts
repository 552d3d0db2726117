import type { ConcurrentStep } from '../build-indexes.ts'

export const steps: ConcurrentStep[] = [
  // The foreign key of stock_levels refers to it, so that a level and its location never disagree about being sellable.
  {
    index: 'locations_sellable_key',
    isUnique: true,
    table: 'locations',
    definition: '(tenant_id, id, warehouse_id, sellable)',
  },
]
