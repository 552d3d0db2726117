-- A movement is only written by the statement that changed its level, from the row that it has locked, and levels are never deleted. The foreign key looked
-- the same row up and locked it once more, which was an eighth of what 100 set levels take Postgres. GET /stock/reconcile still compares levels with
-- their movements.
alter table stock_movements drop constraint if exists stock_movements_tenant_id_product_id_location_id_fkey;
