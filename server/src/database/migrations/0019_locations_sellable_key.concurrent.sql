-- Run statement by statement, outside a transaction: see build-indexes.ts.
-- squawk-ignore-file ban-concurrent-index-creation-in-transaction

-- The foreign key of stock_levels refers to it, so that a level and its location never disagree about being sellable.
create unique index concurrently locations_sellable_key on locations (tenant_id, id, warehouse_id, sellable);
