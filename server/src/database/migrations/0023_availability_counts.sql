-- The numbers of products in warehouses with something on hand, which lists of availability show. Counted by the statements that change stock.
create table stocked_count_changes (
  tenant_id bigint not null,
  warehouse_id bigint not null,
  change integer not null
);
create index stocked_count_changes_by_tenant on stocked_count_changes (tenant_id);
create table stocked_totals (
  tenant_id bigint not null,
  warehouse_id bigint not null,
  count bigint not null,
  primary key (tenant_id, warehouse_id)
) with (fillfactor = 80);
