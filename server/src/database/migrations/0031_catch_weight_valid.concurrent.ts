import type { ConcurrentStep } from '../build-indexes.ts'

/** Checks the rows of before, which blocks no writes. */
export const steps: ConcurrentStep[] = [
  { sql: 'alter table products validate constraint products_pick_tolerance' },
  { sql: 'alter table order_lines validate constraint order_lines_never_over_picked' },
]
