/**
 * SQL that counts products in warehouses that came to have stock, or to have none. `totals` are the changed rows of warehouse_stock: their
 * warehouse_id, quantity and previous_quantity, which is null for a new row.
 */
export const countStocked = (totals: string): string => `
  insert into stocked_count_changes (tenant_id, warehouse_id, change)
  select $1, warehouse_id, case when quantity <> 0 then 1 else -1 end from ${totals}
  where (quantity <> 0) <> (coalesce(previous_quantity, 0) <> 0)`
