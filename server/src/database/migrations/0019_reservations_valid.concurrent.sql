-- Run statement by statement, outside a transaction: see build-indexes.ts.

-- Blocks no writes.
alter table stock_levels validate constraint stock_levels_location_fkey;
alter table warehouse_stock validate constraint warehouse_stock_reserved;
alter table warehouse_stock validate constraint warehouse_stock_backordered;
