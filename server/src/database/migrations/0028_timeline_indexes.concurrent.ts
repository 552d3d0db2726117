import type { ConcurrentStep } from '../build-indexes.ts'

export const steps: ConcurrentStep[] = [
  // The movements of an order in the order of its timeline, which reads them page by page.
  {
    index: 'stock_movements_of_order',
    table: 'stock_movements',
    definition: '(tenant_id, order_id, created_at, id) where order_id is not null',
  },
  { sql: 'drop index concurrently if exists stock_movements_by_order' },
]
