import type { ConcurrentStep } from '../build-indexes.ts'

export const steps: ConcurrentStep[] = [
  // What open orders wait for. Under the policy `off` nothing is backordered, and no change of stock touches the index.
  {
    index: 'warehouse_stock_backordered_rows',
    table: 'warehouse_stock',
    definition: '(tenant_id, product_id, warehouse_id) where backordered <> 0',
  },
  // Counts what was there before. Totals and existing counts are read in one snapshot. Changes by servers of the previous release, which do not
  // count, are counted within an hour.
  {
    sql: `
      insert into stocked_count_changes (tenant_id, warehouse_id, change)
      select tenant_id, warehouse_id, sum(n) from (
        select tenant_id, warehouse_id, count(*) as n from warehouse_stock where quantity <> 0 group by tenant_id, warehouse_id
        union all
        select tenant_id, warehouse_id, -count from stocked_totals
        union all
        select tenant_id, warehouse_id, -change from stocked_count_changes
      ) c
      group by tenant_id, warehouse_id having sum(n) <> 0`,
  },
]
