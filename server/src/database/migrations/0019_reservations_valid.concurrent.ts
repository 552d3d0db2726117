import type { ConcurrentStep } from '../build-indexes.ts'

/** Checks the rows of before, which blocks no writes. */
export const steps: ConcurrentStep[] = [
  { sql: 'alter table stock_levels validate constraint stock_levels_location_fkey' },
  { sql: 'alter table warehouse_stock validate constraint warehouse_stock_reserved' },
  { sql: 'alter table warehouse_stock validate constraint warehouse_stock_backordered' },
]
